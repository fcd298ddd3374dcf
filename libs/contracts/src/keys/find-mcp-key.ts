import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId } from '../ids.js';
import { KeyView } from './key-view.js';

/** The account's MCP key without its value, null while there is none. */
export const FindMcpKey = defineRpc({
  subject: 'key.{env}.v1.rpc.find-mcp-key',
  owner: 'keys',
  callers: ['console', 'ops'],
  proof: 'viewer',
  queue: 'keys',
  request: z.object({ account: AccountId }),
  reply: z.object({
    key: KeyView.nullable(),
    /** The client that used it last, as it named itself; null where it was not used, or did not. Absent from older replicas. */
    last_client: z.string().nullable().optional(),
  }),
  errors: ['account_not_found'],
  timeoutMs: 3_000,
});
