import { z } from 'zod';

/** One thing that was done, as it stands in the audit log for ever. It holds no secret. */
export const AuditEntry = z.object({
  id: z.int().positive(),
  at: z.iso.datetime(),
  /** What: `<kind>.<verb>`, such as `key.revoke`. */
  action: z.string().max(64),
  /** Who: a person or a key by number, an operator, or `unknown` where an older caller did not say. */
  actor: z.enum(['user', 'key', 'ops', 'unknown']),
  actor_id: z.int().positive().nullable(),
  /** The person's address at that time, or what else named the actor. */
  actor_name: z.string().nullable(),
  /** Which: `<kind>:<number>`, such as `key:12`. */
  object: z.string().max(128),
  /** Its name at that time. */
  object_name: z.string().nullable(),
  /** From where. */
  address: z.string().nullable(),
  client: z.string().nullable(),
  /** What else is worth knowing, such as `{ "role": "viewer" }`. */
  facts: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
});
export type AuditEntry = z.infer<typeof AuditEntry>;
