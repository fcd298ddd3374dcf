import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, KeyId } from '../ids.js';
import { Actor } from './actor.js';
import { AllowedDeployments } from './limits.js';
import { propagatedFields } from './propagated.js';

/** Replaces the set of deployments that a key may call. Requests that run go on. Repeating it is harmless. */
export const SetKeyDeployments = defineRpc({
  subject: 'key.{env}.v1.rpc.set-key-deployments',
  owner: 'keys',
  callers: ['console', 'ops'],
  proof: 'member',
  queue: 'keys',
  request: z.object({ account: AccountId, key: KeyId, deployments: AllowedDeployments, actor: Actor.optional() }),
  reply: z.object({ id: KeyId, deployments: AllowedDeployments, ...propagatedFields }),
  errors: ['key_not_found', 'account_not_found', 'not_permitted'],
  timeoutMs: 5_000,
});
