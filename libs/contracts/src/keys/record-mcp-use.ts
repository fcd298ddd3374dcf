import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, KeyId } from '../ids.js';

/** Longest name of a client that is kept. */
export const CLIENT_CHARS = 200;

/**
 * An account's MCP key was used just now. The console tells at most each minute and client; of several at once the last one
 * stands. A key that is no MCP key of this account is left alone.
 */
export const RecordMcpUse = defineRpc({
  subject: 'key.{env}.v1.rpc.record-mcp-use',
  owner: 'keys',
  callers: ['console'],
  proof: 'key',
  queue: 'keys',
  request: z.object({
    account: AccountId,
    key: KeyId,
    /** As the client names itself; no proof. Absent = it did not. */
    client: z.string().min(1).max(CLIENT_CHARS).optional(),
  }),
  reply: z.object({}),
  errors: [],
  timeoutMs: 3_000,
});
