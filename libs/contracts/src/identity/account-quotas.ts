import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { propagatedFields } from '../feed.js';
import { AccountId } from '../ids.js';
import { unknownNames } from '../schemas.js';
import { actorField } from './audit.js';

const Quota = z.int().nonnegative().max(1_000_000);

/** Quotas of an account that keys-service and gateways enforce. */
export const AccountQuotas = z.object({
  /** Deployment keys that are not revoked. */
  keys: Quota.optional(),
  members: Quota.optional(),
  /** Pending invitations. */
  invitations: Quota.optional(),
  /** Request bodies that a gateway reads at once. */
  uploads: z.int().min(1).max(100_000).optional(),
});
export type AccountQuotas = z.infer<typeof AccountQuotas>;

/** Quotas whose use keys-service counts; gateways count uploads. */
export const COUNTED_QUOTAS = ['keys', 'members', 'invitations'] as const;
/** A quota of which keys-service counts the use. */
export type CountedQuota = (typeof COUNTED_QUOTAS)[number];
const Counts = z.object({ keys: z.int().nonnegative(), members: z.int().nonnegative(), invitations: z.int().nonnegative() });

const { keys, members, invitations, uploads } = AccountQuotas.shape;
const change = { keys: keys.nullable(), members: members.nullable(), invitations: invitations.nullable(), uploads: uploads.nullable() };

/** A change of quotas: null resets one to its default, absent ones stay. Unknown names are refused. */
export const AccountQuotasChange = z.strictObject(change, { error: unknownNames('quota', change) });

/** The quotas of an account and their use. */
export const FindAccountQuotas = defineRpc({
  subject: 'key.{env}.v1.rpc.find-account-quotas',
  owner: 'keys',
  callers: ['ops'],
  queue: 'keys',
  request: z.object({ account: AccountId }),
  reply: z.object({
    /** Quotas that an operator set. */
    quotas: AccountQuotas,
    /** Quotas that apply where none was set. */
    defaults: Counts,
    used: Counts,
  }),
  errors: ['account_not_found'],
  timeoutMs: 3_000,
});

/** Sets quotas of an account; for operators only. Existing objects stay, even beyond a quota. */
export const SetAccountQuotas = defineRpc({
  subject: 'key.{env}.v1.rpc.set-account-quotas',
  owner: 'keys',
  callers: ['ops'],
  queue: 'keys',
  request: z.object({ account: AccountId, quotas: AccountQuotasChange, ...actorField }),
  reply: z.object({ id: AccountId, quotas: AccountQuotas, ...propagatedFields }),
  errors: ['account_not_found', 'not_permitted'],
  timeoutMs: 5_000,
});
