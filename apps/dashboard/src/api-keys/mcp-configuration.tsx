import type { ConsoleMcp } from '@slipway/contracts';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { JSX } from 'react';
import { session } from '../session/session.js';
import { McpCode } from '../snippets/mcp-code.js';
import { Button } from '../ui/button.js';
import { Dialog, DialogButtons } from '../ui/dialog.js';
import { SecretReveal } from '../ui/secret-reveal.js';
import { McpConnectionTest } from './mcp-connection-test.js';

/** The MCP server: its addresses and tools, which change with the release alone. */
export function useMcpServer(): UseQueryResult<ConsoleMcp> {
  const queryFn = (): Promise<ConsoleMcp> => session.ask<ConsoleMcp>('/api/mcp/tools', { method: 'GET' });
  return useQuery({ queryKey: ['mcp/tools'], queryFn, staleTime: Number.POSITIVE_INFINITY });
}

/** Settings for the clients. @param apiKey while it can be shown; null = a placeholder stands in its place */
export function McpConfiguration({ apiKey }: { readonly apiKey: string | null }): JSX.Element {
  const { data } = useMcpServer();
  // The console serves both itself, so its own address is right until it has named them.
  const own = `${window.location.origin}/mcp`;
  const urls = { full: data?.url ?? own, readonly: data?.readonly_url ?? `${own}/readonly` };
  return (
    <>
      {apiKey === null && (
        <p className="text-sm text-muted">
          Put your key in place of <code>YOUR_MCP_KEY</code>. It was shown once, when it was created or rotated.
        </p>
      )}
      <McpCode urls={urls} apiKey={apiKey} />
    </>
  );
}

/** The same over the page. */
export function McpConfigurationDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
  return (
    <Dialog title="MCP Configuration" wide onClose={onClose}>
      <McpConfiguration apiKey={null} />
      <DialogButtons>
        <Button onClick={onClose}>Close</Button>
      </DialogButtons>
    </Dialog>
  );
}

/** The new key, once, with settings that hold it. */
export function McpKeyReveal({ value, onDone }: { readonly value: string; readonly onDone: () => void }): JSX.Element {
  return (
    <SecretReveal title="MCP key" label="Key" value={value} copy="Copy key" ifLost="If you lose it, rotate the key." onDone={onDone}>
      <McpConnectionTest value={value} />
      <section className="grid grid-cols-[minmax(0,1fr)] gap-3">
        <h3 className="font-medium">MCP Configuration</h3>
        <McpConfiguration apiKey={value} />
      </section>
    </SecretReveal>
  );
}
