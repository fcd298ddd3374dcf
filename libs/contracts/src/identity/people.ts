import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, AccountSlug, SessionId, UserId } from '../ids.js';
import { enumOr } from '../schemas.js';
import { Actor, Origin } from './audit.js';

/** What a member may do: `viewer` reads, `member` also changes keys and deployments, `owner` also people and the audit log. */
export const MemberRole = z.enum(['owner', 'member', 'viewer']);
export type MemberRole = z.infer<typeof MemberRole>;

/** A role as readers accept it: an unknown word has the rights of a viewer. */
export const GrantedRole = enumOr(MemberRole, 'viewer');

/** Whether a person may sign in. Only operators suspend. */
export const UserState = z.enum(['active', 'suspended']);
export type UserState = z.infer<typeof UserState>;

/** A person's email address in lower case, so that its spelling does not matter. */
export const Email = z
  .string()
  .trim()
  .toLowerCase()
  .max(254, 'An email address has at most 254 characters.')
  .pipe(z.email('Write an email address like ada@example.com.'));

/** A person's name. Characters that could break a line or the reading direction of a list are refused. */
export const PersonName = z
  .string()
  .trim()
  .max(100, 'A name has at most 100 characters.')
  .regex(/^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]*$/u, 'A name holds no control characters.');

/** A password as typed: any text, bounded in length. */
export const Password = z.string().min(1).max(200);

/** A new password: any 10 to 200 characters. keys-service also refuses what is easy to guess, and says why. */
export const NewPassword = z.string().min(10, 'A password has at least 10 characters.').max(200, 'A password has at most 200 characters.');

/** A person's membership in an account. */
export const MembershipView = z.object({ account: AccountId, slug: AccountSlug, role: GrantedRole });
export type MembershipView = z.infer<typeof MembershipView>;

/** A person with the accounts they belong to. */
export const FindUser = defineRpc({
  subject: 'key.{env}.v1.rpc.find-user',
  owner: 'keys',
  callers: ['console'],
  proof: 'self',
  queue: 'keys',
  request: z.object({ user: UserId }),
  reply: z.object({
    id: UserId,
    email: z.string(),
    name: z.string(),
    /** False for a person who signs in by an identity provider only. */
    has_password: z.boolean(),
    memberships: z.array(MembershipView),
  }),
  errors: ['user_not_found'],
  timeoutMs: 3_000,
});

/**
 * Suspends a person in all accounts, or ends the suspension. Their sessions and playground keys end at once. A sign-in gets
 * the answer for an unknown person. Memberships stay, and so do the keys that the person made, which belong to the accounts.
 * Repeating it is harmless.
 */
export const SetUserState = defineRpc({
  subject: 'key.{env}.v1.rpc.set-user-state',
  owner: 'keys',
  callers: ['ops'],
  queue: 'keys',
  request: z.object({ email: Email, state: UserState, actor: Actor }),
  reply: z.object({
    user: UserId,
    state: UserState,
    /** Sessions that this call ended. */
    ended: z.int().nonnegative(),
  }),
  errors: ['user_not_found', 'not_permitted'],
  timeoutMs: 5_000,
});

/**
 * Deletes a person for good. Their sessions end at once. Only their number stays, in ended sessions and in the audit log. Their
 * address can be used again. Refused while they are the only owner of an account. Repeating it gets `user_not_found`.
 */
export const DeleteUser = defineRpc({
  subject: 'key.{env}.v1.rpc.delete-user',
  owner: 'keys',
  callers: ['ops'],
  queue: 'keys',
  request: z.object({ email: Email, actor: Actor }),
  reply: z.object({
    user: UserId,
    /** Sessions that this call ended. */
    ended: z.int().nonnegative(),
    /** Accounts that the person belonged to. */
    accounts: z.int().nonnegative(),
  }),
  errors: ['user_not_found', 'last_owner', 'not_permitted'],
  timeoutMs: 8_000,
});

/** Changes a person's name, which others see beside their address. An empty name removes it. Repeating it is harmless. */
export const RenameUser = defineRpc({
  subject: 'key.{env}.v1.rpc.rename-user',
  owner: 'keys',
  callers: ['console'],
  proof: 'self',
  queue: 'keys',
  request: z.object({ user: UserId, name: PersonName, actor: Actor }),
  reply: z.object({ user: UserId, name: z.string() }),
  errors: ['user_not_found', 'not_permitted'],
  timeoutMs: 3_000,
});

/** Whether anyone can sign in yet: false until the first owner has opened the set-up link. */
export const FindSetup = defineRpc({
  subject: 'key.{env}.v1.rpc.find-setup',
  owner: 'keys',
  callers: ['console'],
  proof: 'role',
  queue: 'keys',
  request: z.object({}),
  reply: z.object({ has_people: z.boolean() }),
  errors: [],
  timeoutMs: 3_000,
});

/** Sets another password and ends all other sessions of the person. */
export const ChangePassword = defineRpc({
  subject: 'key.{env}.v1.rpc.change-password',
  owner: 'keys',
  callers: ['console'],
  proof: 'session',
  queue: 'keys',
  request: z.object({ session: SessionId, user: UserId, current: Password, next: NewPassword, origin: Origin }),
  reply: z.object({ ended: z.int().nonnegative() }),
  errors: ['invalid_credentials', 'session_ended', 'rate_limit_exceeded'],
  timeoutMs: 8_000,
});

/**
 * Replaces a forgotten password by a random one, which only this reply contains, and ends all sessions of the person. For
 * operators only: an owner could take over a person who belongs to other accounts too.
 */
export const ResetPassword = defineRpc({
  subject: 'key.{env}.v1.rpc.reset-password',
  owner: 'keys',
  callers: ['ops'],
  queue: 'keys',
  request: z.object({ user: UserId, actor: Actor }),
  reply: z.object({
    /** The whole password, shown once. */
    password: z.string(),
    ended: z.int().nonnegative(),
  }),
  errors: ['user_not_found'],
  timeoutMs: 8_000,
});
