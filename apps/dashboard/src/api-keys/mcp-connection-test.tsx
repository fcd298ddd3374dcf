import { useMutation } from '@tanstack/react-query';
import type { JSX } from 'react';
import { Button } from '../ui/button.js';
import { Notice } from '../ui/notice.js';

/** The newest revision that begins with a greeting; every client of today speaks it. */
const REVISION = '2025-11-25';

/** Greets the MCP server as a client would, with the key that is shown. */
async function greet(key: string): Promise<void> {
  const response = await fetch('/mcp', {
    method: 'POST',
    credentials: 'omit',
    cache: 'no-store',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: REVISION, capabilities: {}, clientInfo: { name: 'slipway-dashboard', version: '1' } },
    }),
  });
  const text = await response.text();
  if (!response.ok || !text.includes('"serverInfo"')) throw new Error(`status ${response.status}`);
}

export function McpConnectionTest({ value }: { readonly value: string }): JSX.Element {
  const test = useMutation({ mutationFn: () => greet(value) });
  return (
    <div className="grid gap-2">
      <div>
        <Button busy={test.isPending} onClick={() => test.mutate()}>
          Test the connection
        </Button>
      </div>
      {test.isSuccess && <Notice look="good">The MCP server answers this key.</Notice>}
      {test.isError && (
        <Notice look="bad">
          The MCP server did not accept the key ({test.error.message}). A new key takes a second or two: try again.
        </Notice>
      )}
    </div>
  );
}
