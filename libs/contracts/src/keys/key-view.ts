import { z } from 'zod';
import { Limits } from '../identity/limits.js';
import { DeploymentId, KeyId } from '../ids.js';
import { enumOr } from '../schemas.js';

/** The only deployments that a key may call; null = all of its account. None of another account is opened by it. */
export const AllowedDeployments = z
  .array(DeploymentId)
  .min(1, 'Name at least one deployment, or null for all.')
  .max(1_000)
  .refine((ids) => new Set(ids).size === ids.length, 'Name each deployment once.')
  .nullable();

/**
 * Name that a person gives a key: 1 to 100 characters after trimming. What could break a line, a
 * terminal or the reading direction of a list is refused.
 */
export const KeyName = z
  .string()
  .trim()
  .min(1, 'Give the key a name.')
  .max(100, 'A name has at most 100 characters.')
  .regex(/^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]*$/u, 'A name holds no control characters.');

/** When a key ends, UTC. A moment that has passed is refused with `invalid_request`. */
export const KeyExpiry = z.iso.datetime({ error: 'Write the expiry like 2026-01-31T00:00:00Z.' });

/** The maker of a key, by the name at that time: a person's address; operators and keys have none. */
export const KeyCreator = z.object({ actor: enumOr(z.enum(['user', 'key', 'ops']), 'user'), name: z.string().nullable() });
export type KeyCreator = z.infer<typeof KeyCreator>;

/** A key as lists show it: enough to recognize it, never enough to use it. */
export const KeyView = z.object({
  id: KeyId,
  name: z.string(),
  /** Prefix and first four characters. */
  hint: z.string(),
  /** `expired` and `revoked` keys open nothing; an expired one can be rotated with a new expiry. */
  state: enumOr(z.enum(['active', 'expired', 'revoked']), 'active'),
  created_at: z.iso.datetime(),
  /** Null where it was not recorded. Absent from older replicas. */
  created_by: KeyCreator.nullable().optional(),
  /** When it got the value that it has, if not at its creation; null = never rotated. Absent from older replicas. */
  rotated_at: z.iso.datetime().nullable().optional(),
  /** Null = never. Absent from replicas of before expiry existed, whose keys never end. */
  expires_at: z.iso.datetime().nullable().optional(),
  /** End of its last request, a second or two after it; null = never used. Only in lists; absent from older replicas. */
  last_used_at: z.iso.datetime().nullable().optional(),
  /** Null = all of its account. Absent from older replicas. */
  deployments: AllowedDeployments.optional(),
  /** Absent from older replicas. */
  limits: Limits.optional(),
});
export type KeyView = z.infer<typeof KeyView>;
