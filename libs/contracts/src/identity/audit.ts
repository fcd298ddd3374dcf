import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, KeyId, UserId } from '../ids.js';
import { enumOr } from '../schemas.js';

/** Where a request came from, as seen by the process that accepted it. */
export const Origin = z.object({
  /** Address of the client. */
  address: z.string().max(64).optional(),
  /** The client's name for itself, such as its User-Agent. */
  client: z.string().max(200).optional(),
});
export type Origin = z.infer<typeof Origin>;

/**
 * On whose behalf a change is requested, for the audit log. The owner of the RPC compares kind and number with the proof that
 * came with the message, and fills in an actor that is absent. The origin is not proven.
 */
export const Actor = z.discriminatedUnion('kind', [
  Origin.extend({ kind: z.literal('user'), user: UserId }),
  Origin.extend({ kind: z.literal('key'), key: KeyId }),
  Origin.extend({ kind: z.literal('ops') }),
]);
export type Actor = z.infer<typeof Actor>;

/** The actor of a request whose older callers send none: those of before the audit log, or of before 2027. */
export const actorField = { actor: Actor.optional() };

/**
 * The role that the caller's proof has in the account; an MCP key has at most a member's, an operator an owner's. The owner of the RPC
 * fills it in and overwrites what a caller sends.
 */
export const provenRoleField = { proven_role: z.enum(['viewer', 'member', 'owner']).optional() };

/** One action in the audit log. Contains no secret. */
export const AuditEntry = z.object({
  id: z.int().positive(),
  at: z.iso.datetime(),
  /** `<kind>.<verb>`, such as `key.revoke`. */
  action: z.string().max(64),
  /** A person or a key by number, an operator, or `unknown` for older callers. */
  actor: enumOr(z.enum(['user', 'key', 'ops', 'unknown']), 'unknown'),
  actor_id: z.int().positive().nullable(),
  /** The person's address at that time, or another name of the actor. */
  actor_name: z.string().nullable(),
  /** What the person is called now. Absent = they gave no name, are deleted, or an older replica replied. */
  actor_person: z.string().optional(),
  /** `<kind>:<number>`, such as `key:12`. */
  object: z.string().max(128),
  /** Its name at that time. */
  object_name: z.string().nullable(),
  /** Address of the client. */
  address: z.string().nullable(),
  client: z.string().nullable(),
  /** Details, such as `{ "role": "viewer" }`. */
  facts: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

/** Filters of an audit log, which hold together. Replicas older than they are ignore them. */
export const auditFilters = {
  /** Only entries about this object, such as `key:12`. */
  object: z
    .string()
    .regex(/^[a-z_]{1,32}:[A-Za-z0-9._:-]{1,95}$/, 'Write the object like key:12.')
    .optional(),
  /** Only this action, such as `key.revoke`, or all actions of this kind, such as `key`. */
  action: z
    .string()
    .regex(/^[a-z_]{1,32}(?:\.[a-z_]{1,31})?$/, 'Write the action like key.revoke, or its kind like key.')
    .optional(),
  /** Only what this actor did. Without a number: all actors of the kind. */
  by: z.object({ kind: z.enum(['user', 'key', 'ops']), id: z.int().positive().max(2_147_483_647).optional() }).optional(),
  /** Only entries from this time on. */
  from: z.iso.datetime().optional(),
  /** Only entries before this time. */
  to: z.iso.datetime().optional(),
};

/** Audit entries of an account, newest first; at most 200 per reply. For owners and operators. */
export const ListAudit = defineRpc({
  subject: 'key.{env}.v1.rpc.list-audit',
  owner: 'keys',
  callers: ['console', 'ops'],
  proof: 'owner',
  reads: true,
  queue: 'keys',
  request: z.object({
    account: AccountId,
    /** Only entries with lower numbers: `next` of the previous reply. */
    before: z.int().positive().optional(),
    ...auditFilters,
    actor: Actor,
  }),
  reply: z.object({ entries: z.array(AuditEntry), next: z.int().positive().nullable() }),
  errors: ['account_not_found', 'not_permitted'],
  timeoutMs: 3_000,
});

/** One entry in the chain of a service's audit log. */
export const SealedAuditEntry = z.object({
  /** Numbers in the chain count from 1 without a gap. */
  seq: z.int().positive(),
  /** Hex SHA-256 of the previous hash's bytes (none for the first) followed by `text` in UTF-8. */
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  /**
   * The entry as it is now, a JSON array: id, at (UTC, microseconds), account, action, actor, actor_id, actor_name, object,
   * object_name, address, client, facts. Null = the entry is missing.
   */
  text: z.string().nullable(),
});
export type SealedAuditEntry = z.infer<typeof SealedAuditEntry>;

/** Request and reply of one page of a service's audit chain. */
export const auditPage = {
  request: z.object({
    /** Only entries after this number of the chain; 0 = from the first. */
    after: z.int().nonnegative(),
  }),
  /** At most 200 entries; none at the end. `unsealed`, only at the end: numbers of entries that are not in the chain. */
  reply: z.object({ entries: z.array(SealedAuditEntry), unsealed: z.array(z.int().positive()) }),
  errors: [],
  /** At the end of the chain the whole log is compared with it, which takes longer than a page. */
  timeoutMs: 60_000,
} as const;

/** The whole audit log of keys-service in the order of its chain, including entries without an account. For operators. */
export const ReadAudit = defineRpc({
  subject: 'key.{env}.v1.rpc.read-audit',
  owner: 'keys',
  callers: ['ops'],
  queue: 'keys',
  ...auditPage,
});
