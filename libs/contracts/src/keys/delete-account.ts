import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, AccountSlug } from '../ids.js';
import { Actor } from './actor.js';
import { propagatedFields } from './propagated.js';

/**
 * Deletes an account for good: its keys are revoked, sessions that work in it end, memberships and invitations are gone. What
 * is left is its name, which is never given again, its figures of usage and its audit log. Its deployments are deleted before,
 * by deployments-service. Repeating it is harmless, and completes what was interrupted.
 */
export const DeleteAccount = defineRpc({
  subject: 'key.{env}.v1.rpc.delete-account',
  owner: 'keys',
  callers: ['ops'],
  queue: 'keys',
  request: z.object({ slug: AccountSlug, actor: Actor }),
  reply: z.object({
    id: AccountId,
    slug: AccountSlug,
    /** Keys that this call revoked. */
    keys: z.int().nonnegative(),
    members: z.int().nonnegative(),
    invitations: z.int().nonnegative(),
    sessions: z.int().nonnegative(),
    ...propagatedFields,
  }),
  errors: ['account_not_found', 'not_permitted'],
  timeoutMs: 30_000,
});
