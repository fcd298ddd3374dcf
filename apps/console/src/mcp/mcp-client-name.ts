import { CLIENT_INFO_META_KEY, type ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';

const CLIENT_CHARS = 200;
const UNSAFE = /[\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]/gu;
const ClientInfo = z.object({ name: z.string(), version: z.string().optional() });

/**
 * The client of a call for the audit log: as it names itself, or its User-Agent where the revision has no name with each
 * request. It is what the client says, no proof.
 */
export function clientNameOf({ mcpReq }: Pick<ServerContext, 'mcpReq'>, userAgent: string | null): string | undefined {
  const envelope = mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  const info = ClientInfo.safeParse(envelope?.[CLIENT_INFO_META_KEY]);
  const said = info.success ? [info.data.name, info.data.version].filter(Boolean).join('/') : userAgent;
  const clean = said?.replace(UNSAFE, '').slice(0, CLIENT_CHARS) ?? '';
  return clean === '' ? undefined : clean;
}
