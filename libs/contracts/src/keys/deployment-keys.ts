import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { propagatedFields, propagatedFieldsOfNow } from '../feed.js';
import { actorField } from '../identity/audit.js';
import { Limits, RequestedLimits } from '../identity/limits.js';
import { AccountId, KeyId } from '../ids.js';
import { enumOr } from '../schemas.js';
import { AllowedDeployments, KeyExpiry, KeyName, KeyView, newKeyFields } from './key-view.js';

/** What all changes of keys have in common. */
const command = { owner: 'keys', callers: ['console', 'ops'], proof: 'member', queue: 'keys' } as const;

/** Fields of a change of one key. */
const target = { account: AccountId, key: KeyId, ...actorField };

/**
 * Creates a deployment key. Only this reply contains the value. It is sent when every gateway accepts the key, or after one
 * second.
 */
export const CreateKey = defineRpc({
  subject: 'key.{env}.v1.rpc.create-key',
  ...command,
  request: z.object({
    account: AccountId,
    name: KeyName,
    /** Absent = never. */
    expires_at: KeyExpiry.optional(),
    /** Absent = all of the account. */
    deployments: AllowedDeployments.optional(),
    /** Absent = none. */
    limits: RequestedLimits.optional(),
    ...actorField,
  }),
  reply: z.object({ ...newKeyFields, ...propagatedFieldsOfNow }),
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
    /** Only keys with lower numbers: `next` of the previous reply. */
    before: KeyId.optional(),
  }),
  reply: z.object({
    keys: z.array(KeyView),
    /** Pass it as `before` for older keys; null or absent when there are none. */
    next: KeyId.nullable().optional(),
    /** Keys of the playground, which appear in usage but in no list. Only on the first page; absent from older replicas. */
    playground: z.array(KeyId).optional(),
    /** The same of evaluations. Only on the first page; absent from older replicas. */
    evaluation: z.array(KeyId).optional(),
  }),
  errors: ['account_not_found'],
  timeoutMs: 3_000,
});

/** One deployment key, without its value; also a revoked one. */
export const FindKey = defineRpc({
  subject: 'key.{env}.v1.rpc.find-key',
  owner: 'keys',
  callers: ['console', 'ops'],
  proof: 'viewer',
  queue: 'keys',
  request: z.object({ account: AccountId, key: KeyId }),
  reply: z.object({ key: KeyView }),
  errors: ['account_not_found', 'key_not_found'],
  timeoutMs: 3_000,
});

/** Renames a deployment key, even a revoked one. Repeating it is harmless. */
export const RenameKey = defineRpc({
  subject: 'key.{env}.v1.rpc.rename-key',
  ...command,
  request: z.object({ ...target, name: KeyName }),
  reply: KeyView,
  errors: ['key_not_found', 'account_not_found', 'not_permitted'],
  timeoutMs: 3_000,
});

/**
 * Replaces the value of a deployment key; its number and name stay. The old value becomes invalid in the same change. Only this
 * reply contains the new value.
 */
export const RotateKey = defineRpc({
  subject: 'key.{env}.v1.rpc.rotate-key',
  ...command,
  request: z.object({
    ...target,
    /** New expiry; null = never; absent = unchanged, which is refused for an expired key. */
    expires_at: KeyExpiry.nullable().optional(),
  }),
  reply: z.object({ ...newKeyFields, ...propagatedFields }),
  errors: ['key_not_found', 'key_revoked', 'key_expired', 'account_not_found', 'not_permitted'],
  timeoutMs: 5_000,
});

/** Revokes a deployment key for good. Repeating it is harmless and waits for the gateways again. */
export const RevokeKey = defineRpc({
  subject: 'key.{env}.v1.rpc.revoke-key',
  ...command,
  agents: true,
  request: z.object(target),
  reply: z.object({ id: KeyId, ...propagatedFields }),
  errors: ['key_not_found', 'account_not_found', 'not_permitted'],
  timeoutMs: 5_000,
});

/** Most keys of one `RevokeKeys`. */
export const REVOKED_KEYS_MAX = 100;

/**
 * Revokes several deployment keys for good, in one transaction, and waits for the gateways once. Numbers that the account does
 * not have are reported and prevent nothing. Repeating it is harmless.
 */
export const RevokeKeys = defineRpc({
  subject: 'key.{env}.v1.rpc.revoke-keys',
  ...command,
  request: z.object({
    account: AccountId,
    keys: z
      .array(KeyId)
      .min(1, 'Name at least one key.')
      .max(REVOKED_KEYS_MAX, `Name at most ${REVOKED_KEYS_MAX} keys.`)
      .refine((ids) => new Set(ids).size === ids.length, 'Name each key once.'),
    ...actorField,
  }),
  reply: z.object({
    /** One for each requested number, in the same order. */
    keys: z.array(z.object({ id: KeyId, outcome: enumOr(z.enum(['revoked', 'key_not_found']), 'key_not_found') })),
    ...propagatedFields,
  }),
  errors: ['account_not_found', 'not_permitted'],
  timeoutMs: 8_000,
});

/**
 * Sets when a deployment key expires; null = never. An expired key is refused with `key_expired`: whoever kept its value was told
 * that it is dead, so it comes back only with a new value, by `RotateKey`. Repeating it is harmless.
 */
export const SetKeyExpiry = defineRpc({
  subject: 'key.{env}.v1.rpc.set-key-expiry',
  ...command,
  request: z.object({ ...target, expires_at: KeyExpiry.nullable() }),
  reply: z.object({ id: KeyId, expires_at: z.iso.datetime().nullable(), ...propagatedFields }),
  errors: ['key_not_found', 'key_revoked', 'key_expired', 'account_not_found', 'not_permitted'],
  timeoutMs: 5_000,
});

/** Replaces all limits of a deployment key; earlier use still counts. Repeating it is harmless. */
export const SetKeyLimits = defineRpc({
  subject: 'key.{env}.v1.rpc.set-key-limits',
  ...command,
  request: z.object({ ...target, limits: RequestedLimits }),
  reply: z.object({ id: KeyId, limits: Limits, ...propagatedFields }),
  errors: ['key_not_found', 'account_not_found', 'not_permitted'],
  timeoutMs: 5_000,
});

/** Replaces the set of deployments that a key may call. Running requests continue. Repeating it is harmless. */
export const SetKeyDeployments = defineRpc({
  subject: 'key.{env}.v1.rpc.set-key-deployments',
  ...command,
  request: z.object({ ...target, deployments: AllowedDeployments }),
  reply: z.object({ id: KeyId, deployments: AllowedDeployments, ...propagatedFields }),
  errors: ['key_not_found', 'account_not_found', 'not_permitted'],
  timeoutMs: 5_000,
});
