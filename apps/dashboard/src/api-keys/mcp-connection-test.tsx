import { useMutation } from '@tanstack/react-query';
import type { JSX } from 'react';
import { ConsoleError } from '../api/console-error.js';
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
  if (response.status === 401)
    throw new ConsoleError('invalid_api_key', 'The MCP server does not accept this key. It may have been rotated.');
  if (!response.ok || !text.includes('"serverInfo"')) {
    throw new ConsoleError('unavailable', `The MCP server answered with status ${response.status}; try again soon.`);
  }
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
      {test.isSuccess && <Notice look="good">The MCP server accepts this key.</Notice>}
      {test.isError && (
        <Notice look="bad">
          {test.error instanceof ConsoleError ? test.error.message : 'The MCP server cannot be reached from this page.'}
        </Notice>
      )}
    </div>
  );
}
