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
  /** An unknown word is read as `suspended`. */
  state: enumOr(AccountState, 'suspended'),
  /** Shared by all keys of the account; absent = none, as in records older than limits. */
  limits: Limits.optional(),
  /** Request bodies of the account that a gateway reads at once; absent = the gateway's default. */
  uploads: z.int().positive().max(100_000).optional(),
});

const KeyRecord = z.object({
  type: z.literal('key'),
  id: KeyId,
  account: AccountId,
  kind: openEnum(['dep', 'mcp']),
  /**
   * HMAC-SHA-256 of the key under the pepper, base64url. Checked by one expression, because readers check 100,000 of them at a
   * start.
   */
  mac: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
  /** Which of the environment's peppers made `mac`. */
  pepper: z.string().min(1).max(32),
  /** An unknown word is read as `revoked`. */
  state: enumOr(z.enum(['active', 'revoked']), 'revoked'),
  /** Milliseconds since the epoch; null = never expires. */
  expires: z.int().nullable(),
  /** The only deployments that it may call; null = all of its account. */
  deployments: z.array(DeploymentId).nullable(),
  /** Absent = none, as in records older than limits. */
  limits: Limits.optional(),
});

/** Accounts and keys as gateways know them. */
export const KeyFeedRecord = z.discriminatedUnion('type', [AccountRecord, KeyRecord]);
export type KeyFeedRecord = z.infer<typeof KeyFeedRecord>;
/** An account as gateways know it. */
export type AccountFeedRecord = z.infer<typeof AccountRecord>;
/** A key as gateways know it. */
export type ApiKeyFeedRecord = z.infer<typeof KeyRecord>;

/** Accounts and keys, for gateways. */
export const KeyFeed = defineFeed({ name: 'key', owner: 'keys', readers: ['gateway'], record: KeyFeedRecord });
