import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { UserId } from '../ids.js';
import { MembershipView } from './person.js';

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
    /** False for somebody who signs in by their organisation alone. */
    has_password: z.boolean(),
    memberships: z.array(MembershipView),
  }),
  errors: ['user_not_found'],
  timeoutMs: 3_000,
});
