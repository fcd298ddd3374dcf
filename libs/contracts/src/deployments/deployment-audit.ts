import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AuditEntry, auditFilters, auditPage } from '../identity/audit.js';
import { AccountId } from '../ids.js';

/** Who made a change, as every member of the account may see it. */
export const ChangedBy = AuditEntry.pick({ actor: true, actor_id: true, actor_name: true });
export type ChangedBy = z.infer<typeof ChangedBy>;

/**
 * Audit entries of an account's deployments and aliases, newest first; at most 200 per reply. For owners and operators.
 */
export const ListDeploymentAudit = defineRpc({
  subject: 'dep.{env}.v1.rpc.list-deployment-audit',
  owner: 'deployments',
  callers: ['console', 'ops'],
  proof: 'owner',
  reads: true,
  queue: 'deployments',
  request: z.object({
    account: AccountId,
    /** Only entries with lower numbers: `next` of the previous reply. */
    before: z.int().positive().optional(),
    ...auditFilters,
  }),
  reply: z.object({ entries: z.array(AuditEntry), next: z.int().positive().nullable() }),
  errors: [],
  timeoutMs: 3_000,
});

/** The whole audit log of deployments-service in the order of its chain. For operators. */
export const ReadDeploymentAudit = defineRpc({
  subject: 'dep.{env}.v1.rpc.read-audit',
  owner: 'deployments',
  callers: ['ops'],
  queue: 'deployments',
  ...auditPage,
});
