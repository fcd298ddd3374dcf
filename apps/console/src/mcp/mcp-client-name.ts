import { CLIENT_INFO_META_KEY, type ServerContext } from '@modelcontextprotocol/server';
import { CLIENT_CHARS } from '@slipway/contracts';
import { z } from 'zod';

const UNSAFE = /[\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]/gu;
const ClientInfo = z.object({ name: z.string(), version: z.string().optional() });

const cleaned = (said: string | null | undefined): string | undefined => said?.replace(UNSAFE, '').slice(0, CLIENT_CHARS) || undefined;

/** A client's User-Agent as it may be kept. */
export const userAgentOf = (header: string | null | undefined): string | null => cleaned(header) ?? null;

/** A client's name for itself, where it comes with the request: since revision 2026-07-28. It is what the client says, no proof. */
export function ownNameOf({ mcpReq }: Pick<ServerContext, 'mcpReq'>): string | undefined {
  const envelope = mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  const info = ClientInfo.safeParse(envelope?.[CLIENT_INFO_META_KEY]);
  return info.success ? cleaned([info.data.name, info.data.version].filter(Boolean).join('/')) : undefined;
}
