import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, InvitationId } from '../ids.js';
import { Actor } from './actor.js';
import { LinkToken } from './person.js';

/**
 * Makes the link by which the first owner of an account sets their address and password. It opens once, until
 * it expires after seven days; another one voids it. Refused as soon as the account has an owner.
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
