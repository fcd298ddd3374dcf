import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, AccountSlug } from '../ids.js';
import { Actor } from './actor.js';
import { propagatedFieldsOfNow } from './propagated.js';

/** Makes an account. Repeating it with the same slug answers `slug_taken`. */
export const CreateAccount = defineRpc({
  subject: 'key.{env}.v1.rpc.create-account',
  owner: 'keys',
  callers: ['ops'],
  queue: 'keys',
  request: z.object({
    slug: AccountSlug,
    /** Absent from callers older than the audit log. */
    actor: Actor.optional(),
  }),
  reply: z.object({ id: AccountId, slug: AccountSlug, ...propagatedFieldsOfNow }),
  errors: ['slug_taken', 'not_permitted'],
  timeoutMs: 5_000,
});
