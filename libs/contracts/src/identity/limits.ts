import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { propagatedFields } from '../feed.js';
import { AccountId } from '../ids.js';
import { unknownNames } from '../schemas.js';
import { Actor } from './audit.js';

const Limit = z.int().positive().max(1_000_000_000_000);

/**
 * What a key or an account may use at most; absent = no limit. Tokens are those of prompts and answers together. Days and
 * months are those of UTC; a request counts in the one in which it began.
 */
export const Limits = z.object({
  requests_per_minute: Limit.optional(),
  tokens_per_minute: Limit.optional(),
  /** Requests that run or wait at once. */
  concurrent_requests: Limit.optional(),
  tokens_per_day: Limit.optional(),
  tokens_per_month: Limit.optional(),
});
export type Limits = z.infer<typeof Limits>;

/** Limits in a request. Unknown names are refused. */
export const RequestedLimits = z.strictObject(Limits.shape, { error: unknownNames('limit', Limits.shape) });

/** What all keys of an account may use together. */
export const FindAccountLimits = defineRpc({
  subject: 'key.{env}.v1.rpc.find-account-limits',
  owner: 'keys',
  callers: ['console', 'ops'],
  proof: 'viewer',
  queue: 'keys',
  request: z.object({ account: AccountId }),
  reply: z.object({ limits: Limits }),
  errors: ['account_not_found'],
  timeoutMs: 3_000,
});

/** Replaces all limits of an account, which hold for its keys together. Operators alone do this. Repeating it is harmless. */
export const SetAccountLimits = defineRpc({
  subject: 'key.{env}.v1.rpc.set-account-limits',
  owner: 'keys',
  callers: ['ops'],
  queue: 'keys',
  request: z.object({ account: AccountId, limits: RequestedLimits, actor: Actor.optional() }),
  reply: z.object({ id: AccountId, limits: Limits, ...propagatedFields }),
  errors: ['account_not_found', 'not_permitted'],
  timeoutMs: 5_000,
});
