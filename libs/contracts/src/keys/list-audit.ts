import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId } from '../ids.js';
import { Actor } from './actor.js';
import { AuditEntry } from './audit-entry.js';

/** What was done in an account, newest first; at most 200 per reply. For owners and operators. */
export const ListAudit = defineRpc({
  subject: 'key.{env}.v1.rpc.list-audit',
  owner: 'keys',
  callers: ['console', 'ops'],
  proof: 'owner',
  reads: true,
  queue: 'keys',
  request: z.object({
    account: AccountId,
    /** Only entries with lower numbers: `next` of the reply before. */
    before: z.int().positive().optional(),
    actor: Actor,
  }),
  reply: z.object({ entries: z.array(AuditEntry), next: z.int().positive().nullable() }),
  errors: ['account_not_found', 'not_permitted'],
  timeoutMs: 3_000,
});
