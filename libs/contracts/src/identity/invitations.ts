import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, AccountSlug, InvitationId } from '../ids.js';
import { Actor, Origin } from './audit.js';
import { Email, GrantedRole, MemberRole, Password, PersonName } from './people.js';
import { BrowserToken, SessionTokens } from './sessions.js';

/** The secret of an invitation's link: 256 random bits. */
export const LinkToken = z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'This link is not complete.');

/** A pending invitation, without its link. */
export const InvitationView = z.object({
  id: InvitationId,
  /** The only address that may accept it; null = any address, as for the first owner. */
  email: z.string().nullable(),
  role: GrantedRole,
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
});
export type InvitationView = z.infer<typeof InvitationView>;

/**
 * Invites a person to an account. Only this reply contains the secret of the link. The link is valid once, for seven days.
 * Another invitation of the same address replaces the pending one.
 */
export const CreateInvitation = defineRpc({
  subject: 'key.{env}.v1.rpc.create-invitation',
  owner: 'keys',
  callers: ['console', 'ops'],
  proof: 'owner',
  queue: 'keys',
  request: z.object({ account: AccountId, email: Email, role: MemberRole, actor: Actor }),
  reply: z.object({ id: InvitationId, token: LinkToken, expires_at: z.iso.datetime() }),
  errors: ['quota_exceeded', 'account_not_found', 'not_permitted', 'already_member'],
  timeoutMs: 3_000,
});

/**
 * Makes the link by which the first owner of an account sets their address and password. It is valid once,
 * for seven days; a further link voids it. Refused as soon as the account has an owner.
 */
export const CreateSetupLink = defineRpc({
  subject: 'key.{env}.v1.rpc.create-setup-link',
  owner: 'keys',
  callers: ['ops'],
  queue: 'keys',
  request: z.object({ account: AccountId, actor: Actor }),
  reply: z.object({ id: InvitationId, token: LinkToken, expires_at: z.iso.datetime() }),
  errors: ['quota_exceeded', 'account_not_found', 'account_has_owner'],
  timeoutMs: 3_000,
});

/** The invitation of a link. Used, expired, revoked and unknown links all get `invitation_not_found`. */
export const FindInvitation = defineRpc({
  subject: 'key.{env}.v1.rpc.find-invitation',
  owner: 'keys',
  callers: ['console'],
  proof: 'carried',
  queue: 'keys',
  request: z.object({ token: LinkToken }),
  reply: z.object({
    slug: AccountSlug,
    role: GrantedRole,
    /** The only address that may accept it; null = any address. */
    email: z.string().nullable(),
    /** Always false, for consoles before 2027: a link must not reveal whether the address has an account. */
    known: z.boolean().optional(),
    expires_at: z.iso.datetime(),
  }),
  errors: ['invitation_not_found'],
  timeoutMs: 3_000,
});

/** Pending invitations of an account, newest first; at most 500. */
export const ListInvitations = defineRpc({
  subject: 'key.{env}.v1.rpc.list-invitations',
  owner: 'keys',
  callers: ['console', 'ops'],
  proof: 'owner',
  reads: true,
  queue: 'keys',
  request: z.object({ account: AccountId, actor: Actor }),
  reply: z.object({ invitations: z.array(InvitationView) }),
  errors: ['account_not_found', 'not_permitted'],
  timeoutMs: 3_000,
});

/** Voids the link of a pending invitation. */
export const RevokeInvitation = defineRpc({
  subject: 'key.{env}.v1.rpc.revoke-invitation',
  owner: 'keys',
  callers: ['console', 'ops'],
  proof: 'owner',
  queue: 'keys',
  request: z.object({ account: AccountId, invitation: InvitationId, actor: Actor }),
  reply: z.object({ id: InvitationId }),
  errors: ['account_not_found', 'not_permitted', 'invitation_not_found'],
  timeoutMs: 3_000,
});

/**
 * Gives a pending invitation a new link, which only this reply contains. The former link is void from then on. The new one is
 * valid once, for seven days.
 */
export const RenewInvitation = defineRpc({
  subject: 'key.{env}.v1.rpc.renew-invitation',
  owner: 'keys',
  callers: ['console', 'ops'],
  proof: 'owner',
  queue: 'keys',
  request: z.object({ account: AccountId, invitation: InvitationId, actor: Actor }),
  reply: z.object({ id: InvitationId, token: LinkToken, expires_at: z.iso.datetime() }),
  errors: ['account_not_found', 'not_permitted', 'invitation_not_found'],
  timeoutMs: 3_000,
});

/**
 * Accepts an invitation and signs in. A new person sets a password; an existing one must give theirs. The link is void
 * afterwards.
 */
export const AcceptInvitation = defineRpc({
  subject: 'key.{env}.v1.rpc.accept-invitation',
  owner: 'keys',
  callers: ['console'],
  proof: 'carried',
  queue: 'keys',
  request: z.object({
    token: LinkToken,
    /** Required where the invitation names no address. */
    email: Email.optional(),
    name: PersonName.optional(),
    password: Password,
    browser: BrowserToken.optional(),
    origin: Origin,
  }),
  reply: SessionTokens,
  errors: ['quota_exceeded', 'invitation_not_found', 'invalid_credentials', 'rate_limit_exceeded'],
  timeoutMs: 8_000,
});
