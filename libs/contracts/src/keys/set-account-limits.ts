import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId } from '../ids.js';
import { Actor } from './actor.js';
import { Limits, LimitsWish } from './limits.js';
import { propagatedFields } from './propagated.js';

/** Replaces all limits of an account, which hold for its keys together. Operators alone do this. Repeating it is harmless. */
export const SetAccountLimits = defineRpc({
  subject: 'key.{env}.v1.rpc.set-account-limits',
  owner: 'keys',
  callers: ['ops'],
  queue: 'keys',
  request: z.object({ account: AccountId, limits: LimitsWish, actor: Actor.optional() }),
  reply: z.object({ id: AccountId, limits: Limits, ...propagatedFields }),
  errors: ['account_not_found', 'not_permitted'],
  timeoutMs: 5_000,
});
