import type { ConsoleMcp } from '@slipway/contracts';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { session } from '../session/session.js';

/** The MCP server: its addresses and tools, which change with the release alone. */
export function useMcpServer(): UseQueryResult<ConsoleMcp> {
  const queryFn = (): Promise<ConsoleMcp> => session.ask<ConsoleMcp>('/api/mcp/tools', { method: 'GET' });
  return useQuery({ queryKey: ['mcp/tools'], queryFn, staleTime: Number.POSITIVE_INFINITY });
}
