import { z } from 'zod';
import { defineRpc } from '../channel.js';

/** One entry in the chain of a service's audit log. */
export const SealedAuditEntry = z.object({
  /** Numbers in the chain rise from 1 without a gap. */
  seq: z.int().positive(),
  /** Hex SHA-256 of the bytes of the hash before (none for the first) and of `text` in UTF-8. */
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  /**
   * The entry as it is now, a JSON array: id, at (UTC, microseconds), account, action, actor, actor_id, actor_name, object,
   * object_name, address, client, facts. Null where it is gone.
   */
  text: z.string().nullable(),
});
export type SealedAuditEntry = z.infer<typeof SealedAuditEntry>;

const page = {
  request: z.object({
    /** Only entries behind this number of the chain; 0 = from the first on. */
    after: z.int().nonnegative(),
  }),
  /** At most 200 entries; none when the end is reached. `unsealed`, there alone: numbers of entries that are not in the chain. */
  reply: z.object({ entries: z.array(SealedAuditEntry), unsealed: z.array(z.int().positive()) }),
  errors: [],
  /** Behind the end of the chain the whole log is compared with it, which takes longer than a page. */
  timeoutMs: 60_000,
} as const;

/** The whole audit log of keys-service in the order of its chain, what concerns no account included. For operators. */
export const ReadAudit = defineRpc({ subject: 'key.{env}.v1.rpc.read-audit', owner: 'keys', callers: ['ops'], queue: 'keys', ...page });

/** The same of deployments-service. */
export const ReadDeploymentAudit = defineRpc({
  subject: 'dep.{env}.v1.rpc.read-audit',
  owner: 'deployments',
  callers: ['ops'],
  queue: 'deployments',
  ...page,
});
