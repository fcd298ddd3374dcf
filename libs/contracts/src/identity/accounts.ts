import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { propagatedFields, propagatedFieldsOfNow } from '../feed.js';
import { AccountId, AccountSlug } from '../ids.js';
import { eachReadable } from '../schemas.js';
import { Actor, actorField } from './audit.js';
import { Limits } from './limits.js';

/** A suspended account keeps its keys and deployments; none of them is served. */
export const AccountState = z.enum(['active', 'suspended']);
export type AccountState = z.infer<typeof AccountState>;

/** Creates an account. Repeating it with the same slug answers `slug_taken`. */
export const CreateAccount = defineRpc({
  subject: 'key.{env}.v1.rpc.create-account',
  owner: 'keys',
  callers: ['ops'],
  queue: 'keys',
  request: z.object({
    slug: AccountSlug,
    ...actorField,
  }),
  reply: z.object({ id: AccountId, slug: AccountSlug, ...propagatedFieldsOfNow }),
  errors: ['slug_taken', 'not_permitted'],
  timeoutMs: 5_000,
});

/** Finds an account by its slug, deleted ones included, because their usage and audit log stay. */
export const FindAccount = defineRpc({
  subject: 'key.{env}.v1.rpc.find-account',
  owner: 'keys',
  callers: ['ops'],
  queue: 'keys',
  request: z.object({ slug: AccountSlug }),
  reply: z.object({
    id: AccountId,
    slug: AccountSlug,
    /** Absent = not deleted. */
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
    /** Only accounts with higher numbers: `next` of the previous reply. */
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
 * Suspends an account or ends the suspension. While it is suspended, gateways, the MCP server and the playground refuse its keys,
 * and its running streams end. Its keys, deployments, members and usage stay. Repeating it is harmless.
 */
export const SetAccountState = defineRpc({
  subject: 'key.{env}.v1.rpc.set-account-state',
  owner: 'keys',
  callers: ['ops'],
  queue: 'keys',
  request: z.object({ account: AccountId, state: AccountState, ...actorField }),
  reply: z.object({ id: AccountId, state: AccountState, ...propagatedFields }),
  errors: ['account_not_found', 'not_permitted'],
  timeoutMs: 5_000,
});

/**
 * Deletes an account for good: its keys are revoked, its sessions end, memberships and invitations are deleted. Its slug stays
 * taken; its usage and its audit log stay. deployments-service deletes its deployments before. Repeating it is harmless, and
 * completes a deletion that was interrupted.
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
