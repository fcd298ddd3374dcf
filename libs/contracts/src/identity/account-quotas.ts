import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { propagatedFields } from '../feed.js';
import { AccountId } from '../ids.js';
import { unknownNames } from '../schemas.js';
import { Actor } from './audit.js';

const Quota = z.int().nonnegative().max(1_000_000);

/** How much of each an account may have. */
export const AccountQuotas = z.object({
  /** Deployment keys that are not revoked. */
  keys: Quota.optional(),
  members: Quota.optional(),
  /** Invitations that wait. */
  invitations: Quota.optional(),
  /** Requests whose bodies a gateway reads at once. */
  uploads: z.int().min(1).max(100_000).optional(),
});
export type AccountQuotas = z.infer<typeof AccountQuotas>;

/** Of which the service that owns accounts counts what there is; uploads are counted by gateways. */
export const COUNTED_QUOTAS = ['keys', 'members', 'invitations'] as const;
/** A quota of which keys-service counts the use. */
export type CountedQuota = (typeof COUNTED_QUOTAS)[number];
const Counts = z.object({ keys: z.int().nonnegative(), members: z.int().nonnegative(), invitations: z.int().nonnegative() });

const { keys, members, invitations, uploads } = AccountQuotas.shape;
const wish = { keys: keys.nullable(), members: members.nullable(), invitations: invitations.nullable(), uploads: uploads.nullable() };

/** Changes quotas of an account: null takes one back to its default, those that are not named stay. Unknown names are refused. */
export const AccountQuotasWish = z.strictObject(wish, { error: unknownNames('quota', wish) });

/** The quotas of an account, and how much of them is in use. */
export const FindAccountQuotas = defineRpc({
  subject: 'key.{env}.v1.rpc.find-account-quotas',
  owner: 'keys',
  callers: ['ops'],
  queue: 'keys',
  request: z.object({ account: AccountId }),
  reply: z.object({
    /** Those that an operator set. */
    quotas: AccountQuotas,
    /** What holds where none was set. */
    defaults: Counts,
    used: Counts,
  }),
  errors: ['account_not_found'],
  timeoutMs: 3_000,
});

/** Sets quotas of an account. Operators alone do this. What is there already stays, also beyond a quota. */
export const SetAccountQuotas = defineRpc({
  subject: 'key.{env}.v1.rpc.set-account-quotas',
  owner: 'keys',
  callers: ['ops'],
  queue: 'keys',
  request: z.object({ account: AccountId, quotas: AccountQuotasWish, actor: Actor.optional() }),
  reply: z.object({ id: AccountId, quotas: AccountQuotas, ...propagatedFields }),
  errors: ['account_not_found', 'not_permitted'],
  timeoutMs: 5_000,
});
