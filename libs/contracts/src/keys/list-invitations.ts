import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId } from '../ids.js';
import { Actor } from './actor.js';
import { InvitationView } from './person.js';

/** Invitations of an account that wait to be accepted, newest first; at most 500. */
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
