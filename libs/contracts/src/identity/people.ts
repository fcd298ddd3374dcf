import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, AccountSlug, SessionId, UserId } from '../ids.js';
import { enumOr } from '../schemas.js';
import { Actor, Origin } from './audit.js';

/** What a member may do: `viewer` reads, `member` also changes keys and deployments, `owner` also people and the audit log. */
export const MemberRole = z.enum(['owner', 'member', 'viewer']);
export type MemberRole = z.infer<typeof MemberRole>;

/** A role as readers take it: one that only newer versions know has the rights of a viewer. */
export const GrantedRole = enumOr(MemberRole, 'viewer');

/** Whether a person may sign in. Operators alone suspend. */
export const UserState = z.enum(['active', 'suspended']);
export type UserState = z.infer<typeof UserState>;

/** A person's address, lower-cased: one address is one person, however it is written. */
export const Email = z
  .string()
  .trim()
  .toLowerCase()
  .max(254, 'An email address has at most 254 characters.')
  .pipe(z.email('Write an email address like ada@example.com.'));

/** A person's name, as others see it. What could break a line or the reading direction of a list is refused. */
export const PersonName = z
  .string()
  .trim()
  .max(100, 'A name has at most 100 characters.')
  .regex(/^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]*$/u, 'A name holds no control characters.');

/** A password as it is typed: any text, bounded so that reading it costs little. */
export const Password = z.string().min(1).max(200);

/** A password that is being set: 10 to 200 characters, any of them. */
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
 * Suspends a person in all accounts, or ends the suspension. Their sessions and playground keys end at once. Every sign-in
 * answers as it does to an unknown person. Memberships stay, and so do the keys that the person made, which belong to their
 * accounts. Repeating it is harmless.
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
    /** Sessions that ended by it. */
    ended: z.int().nonnegative(),
  }),
  errors: ['user_not_found', 'not_permitted'],
  timeoutMs: 5_000,
});

/**
 * Deletes a person for good. Their sessions end at once. Only their number stays, in ended sessions and in the audit log, whose
 * entries do not change. Their address can be used again. Refused while they are the only owner of an account. Repeating it
 * answers `user_not_found`.
 */
export const DeleteUser = defineRpc({
  subject: 'key.{env}.v1.rpc.delete-user',
  owner: 'keys',
  callers: ['ops'],
  queue: 'keys',
  request: z.object({ email: Email, actor: Actor }),
  reply: z.object({
    user: UserId,
    /** Sessions that ended by it. */
    ended: z.int().nonnegative(),
    /** Accounts that the person belonged to. */
    accounts: z.int().nonnegative(),
  }),
  errors: ['user_not_found', 'last_owner', 'not_permitted'],
  timeoutMs: 8_000,
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
 * Replaces a forgotten password by a random one, which is in this reply and can never be read again, and ends all sessions of
 * the person. For operators only: an owner could take over a person who belongs to other accounts too.
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
