import { z } from 'zod';
import { defineFeed } from '../feed.js';
import { AccountState } from '../identity/accounts.js';
import { Limits } from '../identity/limits.js';
import { AccountId, AccountSlug, DeploymentId, KeyId } from '../ids.js';
import { enumOr, openEnum } from '../schemas.js';

const AccountRecord = z.object({
  type: z.literal('account'),
  id: AccountId,
  slug: AccountSlug,
  /** One that only newer versions know is read as `suspended`. */
  state: enumOr(AccountState, 'suspended'),
  /** For all keys of the account together; absent = none, as in records of before limits existed. */
  limits: Limits.optional(),
  /** Requests whose bodies a gateway reads at once for all keys of the account; absent = the gateway's own default. */
  uploads: z.int().positive().max(100_000).optional(),
});

const KeyRecord = z.object({
  type: z.literal('key'),
  id: KeyId,
  account: AccountId,
  kind: openEnum(['dep', 'mcp']),
  /**
   * HMAC-SHA-256 of the key under the pepper, base64url. The key itself never leaves its creation. Readers check a hundred
   * thousand of them at a start, and one expression checks length and letters at once.
   */
  mac: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
  /** Which of the environment's peppers made `mac`. */
  pepper: z.string().min(1).max(32),
  /** One that only newer versions know is read as `revoked`. */
  state: enumOr(z.enum(['active', 'revoked']), 'revoked'),
  /** Milliseconds since the epoch; null = never expires. */
  expires: z.int().nullable(),
  /** The only deployments that it may call; null = all of its account. */
  deployments: z.array(DeploymentId).nullable(),
  /** Absent = none, as in records of before limits existed. */
  limits: Limits.optional(),
});

/** What gateways know of accounts and keys. */
export const KeyFeedRecord = z.discriminatedUnion('type', [AccountRecord, KeyRecord]);
export type KeyFeedRecord = z.infer<typeof KeyFeedRecord>;
/** An account as gateways know it. */
export type AccountFeedRecord = z.infer<typeof AccountRecord>;
/** A key as gateways know it. */
export type ApiKeyFeedRecord = z.infer<typeof KeyRecord>;

/** Accounts and keys, for gateways. */
export const KeyFeed = defineFeed({ name: 'key', owner: 'keys', readers: ['gateway'], record: KeyFeedRecord });
