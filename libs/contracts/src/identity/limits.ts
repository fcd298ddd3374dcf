import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { propagatedFields } from '../feed.js';
import { AccountId } from '../ids.js';
import { unknownNames } from '../schemas.js';
import { actorField } from './audit.js';

const Limit = z.int().positive().max(1_000_000_000_000);

/**
 * Limits of a key or an account; absent = no limit. Tokens of prompts and answers count together. Days and months are those of
 * UTC; a request counts where it began.
 */
export const Limits = z.object({
  requests_per_minute: Limit.optional(),
  tokens_per_minute: Limit.optional(),
  /** Running and queued requests at one time. */
  concurrent_requests: Limit.optional(),
  tokens_per_day: Limit.optional(),
  tokens_per_month: Limit.optional(),
});
export type Limits = z.infer<typeof Limits>;

/** Limits in a request. Unknown names are refused. */
export const RequestedLimits = z.strictObject(Limits.shape, { error: unknownNames('limit', Limits.shape) });

/** Tokens of an account by the ledger, two seconds late at most. */
const BudgetUse = z.object({ tokens_per_day: z.int().nonnegative(), tokens_per_month: z.int().nonnegative() });

/** Limits that all keys of an account share, and what is used of its budgets. */
export const FindAccountLimits = defineRpc({
  subject: 'key.{env}.v1.rpc.find-account-limits',
  owner: 'keys',
  callers: ['console', 'ops'],
  proof: 'viewer',
  queue: 'keys',
  request: z.object({ account: AccountId }),
  reply: z.object({
    limits: Limits,
    /** Use of this UTC day and month, whether or not there is a budget. Absent from older replicas. */
    used: BudgetUse.optional(),
  }),
  errors: ['account_not_found'],
  timeoutMs: 3_000,
});

/** Replaces all limits of an account, which its keys share. For operators only. Repeating it is harmless. */
export const SetAccountLimits = defineRpc({
  subject: 'key.{env}.v1.rpc.set-account-limits',
  owner: 'keys',
  callers: ['ops'],
  queue: 'keys',
  request: z.object({ account: AccountId, limits: RequestedLimits, ...actorField }),
  reply: z.object({ id: AccountId, limits: Limits, ...propagatedFields }),
  errors: ['account_not_found', 'not_permitted'],
  timeoutMs: 5_000,
});
