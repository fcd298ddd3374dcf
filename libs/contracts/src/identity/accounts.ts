import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { propagatedFields, propagatedFieldsOfNow } from '../feed.js';
import { AccountId, AccountSlug } from '../ids.js';
import { eachReadable } from '../schemas.js';
import { Actor } from './audit.js';
import { Limits } from './limits.js';

/** A suspended account keeps its keys and deployments; none of them is served. */
export const AccountState = z.enum(['active', 'suspended']);
export type AccountState = z.infer<typeof AccountState>;

/** Makes an account. Repeating it with the same slug answers `slug_taken`. */
export const CreateAccount = defineRpc({
  subject: 'key.{env}.v1.rpc.create-account',
  owner: 'keys',
  callers: ['ops'],
  queue: 'keys',
  request: z.object({
    slug: AccountSlug,
    /** Absent from callers older than the audit log. */
    actor: Actor.optional(),
  }),
  reply: z.object({ id: AccountId, slug: AccountSlug, ...propagatedFieldsOfNow }),
  errors: ['slug_taken', 'not_permitted'],
  timeoutMs: 5_000,
});

/** Looks an account up by its slug, also one that was deleted: what was counted and written down of it stays. */
export const FindAccount = defineRpc({
  subject: 'key.{env}.v1.rpc.find-account',
  owner: 'keys',
  callers: ['ops'],
  queue: 'keys',
  request: z.object({ slug: AccountSlug }),
  reply: z.object({
    id: AccountId,
    slug: AccountSlug,
    /** Absent = it was not. */
    deleted_at: z.iso.datetime().optional(),
  }),
  errors: ['account_not_found'],
  timeoutMs: 3_000,
});

/** All accounts, oldest first; at most 500 per reply. */
export const ListAccounts = defineRpc({
  subject: 'key.{env}.v1.rpc.list-accounts',
  owner: 'keys',
  callers: ['ops'],
  queue: 'keys',
  request: z.object({
    /** Only accounts with higher numbers: `next` of the reply before. */
    after: AccountId.optional(),
  }),
  reply: z.object({
    accounts: eachReadable(
      z.object({
        id: AccountId,
        slug: AccountSlug,
        state: AccountState,
        created_at: z.iso.datetime(),
        /** Absent from older replicas. */
        limits: Limits.optional(),
      }),
    ),
    /** Pass it as `after` for the next page; null on the last one. */
    next: AccountId.nullable(),
  }),
  errors: [],
  timeoutMs: 3_000,
});

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
