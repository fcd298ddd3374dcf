import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId } from '../ids.js';
import { Actor } from './actor.js';
import { AccountState } from './key-feed.js';
import { propagatedFields } from './propagated.js';

/**
 * Suspends an account or lets it go on. While it is suspended none of its keys opens anything, at the gateways, the MCP server or
 * the playground, and its running streams end; its keys, deployments, members and figures stay. Repeating it is harmless.
 */
export const SetAccountState = defineRpc({
  subject: 'key.{env}.v1.rpc.set-account-state',
  owner: 'keys',
  callers: ['ops'],
  queue: 'keys',
  request: z.object({ account: AccountId, state: AccountState, actor: Actor.optional() }),
  reply: z.object({ id: AccountId, state: AccountState, ...propagatedFields }),
  errors: ['account_not_found', 'not_permitted'],
  timeoutMs: 5_000,
});
