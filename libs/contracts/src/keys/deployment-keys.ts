import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { propagatedFields, propagatedFieldsOfNow } from '../feed.js';
import { Actor } from '../identity/audit.js';
import { Limits, RequestedLimits } from '../identity/limits.js';
import { AccountId, KeyId } from '../ids.js';
import { AllowedDeployments, KeyExpiry, KeyName, KeyView } from './key-view.js';

/**
 * Creates a deployment key. The value is in this reply and can never be read again. The reply is sent when every gateway admits
 * the key, or after a second.
 */
export const CreateKey = defineRpc({
  subject: 'key.{env}.v1.rpc.create-key',
  owner: 'keys',
  callers: ['console', 'ops'],
  proof: 'member',
  queue: 'keys',
  request: z.object({
    account: AccountId,
    name: KeyName,
    /** Absent = never. */
    expires_at: KeyExpiry.optional(),
    /** Absent = all of the account. */
    deployments: AllowedDeployments.optional(),
    /** Absent = none. */
    limits: RequestedLimits.optional(),
    /** Absent from callers older than the audit log. */
    actor: Actor.optional(),
  }),
  reply: z.object({
    id: KeyId,
    /** The whole key, shown once. */
    value: z.string(),
    /** Prefix and first four characters, for lists. */
    hint: z.string(),
    ...propagatedFieldsOfNow,
  }),
  errors: ['account_not_found', 'not_permitted', 'quota_exceeded'],
  timeoutMs: 5_000,
});

/** An account's deployment keys, newest first, without their values; at most 500 per reply. */
export const ListKeys = defineRpc({
  subject: 'key.{env}.v1.rpc.list-keys',
  owner: 'keys',
  callers: ['console', 'ops'],
  proof: 'viewer',
  agents: true,
  queue: 'keys',
  request: z.object({
    account: AccountId,
    /** Only keys with lower numbers: `next` of the reply before. */
    before: KeyId.optional(),
  }),
  reply: z.object({
    keys: z.array(KeyView),
    /** Pass it as `before` for older keys; null or absent when there are none. */
    next: KeyId.nullable().optional(),
    /** Those by which the playground calls: in no list, but in usage. With the first page alone; absent from older replicas. */
    playground: z.array(KeyId).optional(),
  }),
  errors: ['account_not_found'],
  timeoutMs: 3_000,
});

/** Gives a deployment key another name, revoked ones too. Repeating it is harmless. */
export const RenameKey = defineRpc({
  subject: 'key.{env}.v1.rpc.rename-key',
  owner: 'keys',
  callers: ['console', 'ops'],
  proof: 'member',
  queue: 'keys',
  request: z.object({
    account: AccountId,
    key: KeyId,
    name: KeyName,
    /** Absent from callers older than the audit log. */
    actor: Actor.optional(),
  }),
  reply: KeyView,
  errors: ['key_not_found', 'account_not_found', 'not_permitted'],
  timeoutMs: 3_000,
});

/**
 * Gives a deployment key a new value and keeps its number and name; the old value becomes
 * invalid in the same change. The new value is in this reply and can never be read again.
 */
export const RotateKey = defineRpc({
  subject: 'key.{env}.v1.rpc.rotate-key',
  owner: 'keys',
  callers: ['console', 'ops'],
  proof: 'member',
  queue: 'keys',
  request: z.object({
    account: AccountId,
    key: KeyId,
    /** A new expiry; null = never, absent = as it was, which an expired key does not allow. */
    expires_at: KeyExpiry.nullable().optional(),
    /** Absent from callers older than the audit log. */
    actor: Actor.optional(),
  }),
  reply: z.object({
    id: KeyId,
    /** The whole key, shown once. */
    value: z.string(),
    /** Prefix and first four characters, for lists. */
    hint: z.string(),
    ...propagatedFields,
  }),
  errors: ['key_not_found', 'key_revoked', 'key_expired', 'account_not_found', 'not_permitted'],
  timeoutMs: 5_000,
});

/** Ends a deployment key for ever. Repeating it is harmless and asks the gateways again. */
export const RevokeKey = defineRpc({
  subject: 'key.{env}.v1.rpc.revoke-key',
  owner: 'keys',
  callers: ['console', 'ops'],
  proof: 'member',
  agents: true,
  queue: 'keys',
  request: z.object({
    account: AccountId,
    key: KeyId,
    /** Absent from callers older than the audit log. */
    actor: Actor.optional(),
  }),
  reply: z.object({ id: KeyId, ...propagatedFields }),
  errors: ['key_not_found', 'account_not_found', 'not_permitted'],
  timeoutMs: 5_000,
});

/** Replaces all limits of a deployment key; what was used already counts on. Repeating it is harmless. */
export const SetKeyLimits = defineRpc({
  subject: 'key.{env}.v1.rpc.set-key-limits',
  owner: 'keys',
  callers: ['console', 'ops'],
  proof: 'member',
  queue: 'keys',
  request: z.object({ account: AccountId, key: KeyId, limits: RequestedLimits, actor: Actor.optional() }),
  reply: z.object({ id: KeyId, limits: Limits, ...propagatedFields }),
  errors: ['key_not_found', 'account_not_found', 'not_permitted'],
  timeoutMs: 5_000,
});

/** Replaces the set of deployments that a key may call. Requests that run go on. Repeating it is harmless. */
export const SetKeyDeployments = defineRpc({
  subject: 'key.{env}.v1.rpc.set-key-deployments',
  owner: 'keys',
  callers: ['console', 'ops'],
  proof: 'member',
  queue: 'keys',
  request: z.object({ account: AccountId, key: KeyId, deployments: AllowedDeployments, actor: Actor.optional() }),
  reply: z.object({ id: KeyId, deployments: AllowedDeployments, ...propagatedFields }),
  errors: ['key_not_found', 'account_not_found', 'not_permitted'],
  timeoutMs: 5_000,
});
