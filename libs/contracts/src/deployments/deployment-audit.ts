import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AuditEntry, auditPage } from '../identity/audit.js';
import { AccountId } from '../ids.js';

/**
 * What was done to an account's deployments and aliases, newest first; at most 200 per reply. The caller has made
 * sure that an owner or an operator asks.
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
    /** Only entries with lower numbers: `next` of the reply before. */
    before: z.int().positive().optional(),
  }),
  reply: z.object({ entries: z.array(AuditEntry), next: z.int().positive().nullable() }),
  errors: [],
  timeoutMs: 3_000,
});

/** The same of deployments-service. */
export const ReadDeploymentAudit = defineRpc({
  subject: 'dep.{env}.v1.rpc.read-audit',
  owner: 'deployments',
  callers: ['ops'],
  queue: 'deployments',
  ...auditPage,
});
