import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, InvitationId } from '../ids.js';
import { Actor } from './actor.js';
import { Email, LinkToken, MemberRole } from './person.js';

/**
 * Invites somebody to an account. The secret of the link is in this reply and can never be read again; it
 * opens once, until it expires after seven days. Another invitation of the same address replaces the one that
 * waits.
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
