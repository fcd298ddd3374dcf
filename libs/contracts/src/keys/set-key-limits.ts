import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, KeyId } from '../ids.js';
import { Actor } from './actor.js';
import { Limits, LimitsWish } from './limits.js';
import { propagatedFields } from './propagated.js';

/** Replaces all limits of a deployment key; what was used already counts on. Repeating it is harmless. */
export const SetKeyLimits = defineRpc({
  subject: 'key.{env}.v1.rpc.set-key-limits',
  owner: 'keys',
  callers: ['console', 'ops'],
  proof: 'member',
  queue: 'keys',
  request: z.object({ account: AccountId, key: KeyId, limits: LimitsWish, actor: Actor.optional() }),
  reply: z.object({ id: KeyId, limits: Limits, ...propagatedFields }),
  errors: ['key_not_found', 'account_not_found', 'not_permitted'],
  timeoutMs: 5_000,
});
