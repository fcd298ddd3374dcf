import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, InvitationId } from '../ids.js';
import { Actor } from './actor.js';

/** Voids the link of an invitation that waits. */
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
