import { z } from 'zod';
import { AccountId, AccountSlug, InvitationId, UserId } from '../ids.js';

/** What a member may do: `viewer` reads, `member` also changes keys and deployments, `owner` also people and the audit log. */
export const MemberRole = z.enum(['owner', 'member', 'viewer']);
export type MemberRole = z.infer<typeof MemberRole>;

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

/** A password as somebody types it: any text up to a length that costs little to read. */
export const Password = z.string().min(1).max(200);

/** A password that is being set: 10 to 200 characters, any of them. */
export const NewPassword = z.string().min(10, 'A password has at least 10 characters.').max(200, 'A password has at most 200 characters.');

/** The secret of an invitation's link: 256 random bits. */
export const LinkToken = z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'This link is not complete.');

/** A person's membership in an account. */
export const MembershipView = z.object({ account: AccountId, slug: AccountSlug, role: MemberRole });
export type MembershipView = z.infer<typeof MembershipView>;

/** A member as the account's lists show it. */
export const MemberView = z.object({
  user: UserId,
  email: z.string(),
  name: z.string(),
  role: MemberRole,
  joined_at: z.iso.datetime(),
  /** Null = never. */
  last_sign_in_at: z.iso.datetime().nullable(),
  /** Told to operators alone. Absent from older replicas. */
  state: UserState.optional(),
});
export type MemberView = z.infer<typeof MemberView>;

/** An invitation that waits, without its link. */
export const InvitationView = z.object({
  id: InvitationId,
  /** The only address that may accept it; null = whoever has the link, as for the first owner. */
  email: z.string().nullable(),
  role: MemberRole,
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
});
export type InvitationView = z.infer<typeof InvitationView>;
