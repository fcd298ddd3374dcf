import { z } from 'zod';
import { Limits } from '../identity/limits.js';
import { DeploymentId, KeyId } from '../ids.js';
import { enumOr } from '../schemas.js';

/** The deployments that a key may call; null = all of its account. Deployments of other accounts have no effect. */
export const AllowedDeployments = z
  .array(DeploymentId)
  .min(1, 'Name at least one deployment, or null for all.')
  .max(1_000)
  .refine((ids) => new Set(ids).size === ids.length, 'Name each deployment once.')
  .nullable();

/**
 * Name of a key: 1 to 100 characters after trimming. Characters that could break a line, a terminal or the reading direction of
 * a list are refused.
 */
export const KeyName = z
  .string()
  .trim()
  .min(1, 'Give the key a name.')
  .max(100, 'A name has at most 100 characters.')
  .regex(/^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]*$/u, 'A name holds no control characters.');

/** Expiry of a key, UTC. A past time is refused with `invalid_request`. */
export const KeyExpiry = z.iso.datetime({ error: 'Write the expiry like 2026-01-31T00:00:00Z.' });

/** Who made a key, and their email address at that time; null for operators and keys. */
export const KeyCreator = z.object({
  actor: enumOr(z.enum(['user', 'key', 'ops']), 'user'),
  name: z.string().nullable(),
  /** Only in replies: what the person is called now. Absent = they gave no name, or an older replica replied. */
  person: z.string().optional(),
});
export type KeyCreator = z.infer<typeof KeyCreator>;

/** A key in lists, without its value. */
export const KeyView = z.object({
  id: KeyId,
  name: z.string(),
  /** Prefix and first four characters. */
  hint: z.string(),
  /** `expired` and `revoked` keys are refused; an expired one can be rotated with a new expiry. */
  state: enumOr(z.enum(['active', 'expired', 'revoked']), 'active'),
  created_at: z.iso.datetime(),
  /** Null = not recorded. Absent from older replicas. */
  created_by: KeyCreator.nullable().optional(),
  /** When it was last rotated; null = never. Absent from older replicas. */
  rotated_at: z.iso.datetime().nullable().optional(),
  /** Null = never. Absent from replicas older than expiry, whose keys never expire. */
  expires_at: z.iso.datetime().nullable().optional(),
  /** End of its last request, recorded within two seconds; null = never used. Only in lists and from `FindKey`; absent from older replicas. */
  last_used_at: z.iso.datetime().nullable().optional(),
  /** Null = all of its account. Absent from older replicas. */
  deployments: AllowedDeployments.optional(),
  /** Absent from older replicas. */
  limits: Limits.optional(),
});
export type KeyView = z.infer<typeof KeyView>;

/** Reply fields of a key that has just got a value. */
export const newKeyFields = {
  id: KeyId,
  /** The whole key, shown once. */
  value: z.string(),
  /** Prefix and first four characters, for lists. */
  hint: z.string(),
};
