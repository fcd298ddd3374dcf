import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountSlug } from '../ids.js';
import { LinkToken, MemberRole } from './person.js';

/** What a link invites to. Used, expired, revoked and invented links are the same \`invitation_not_found\`. */
export const FindInvitation = defineRpc({
  subject: 'key.{env}.v1.rpc.find-invitation',
  owner: 'keys',
  callers: ['console'],
  proof: 'carried',
  queue: 'keys',
  request: z.object({ token: LinkToken }),
  reply: z.object({
    slug: AccountSlug,
    role: MemberRole,
    /** The only address that may accept it; null = the one that accepts chooses. */
    email: z.string().nullable(),
    /** Always false, for consoles of before 2027: whether somebody has this address is not told to who holds a link. */
    known: z.boolean().optional(),
    expires_at: z.iso.datetime(),
  }),
  errors: ['invitation_not_found'],
  timeoutMs: 3_000,
});
