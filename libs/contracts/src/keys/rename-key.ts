import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, KeyId } from '../ids.js';
import { Actor } from './actor.js';
import { KeyName, KeyView } from './key-view.js';

/** Gives a deployment key another name, revoked ones too. Repeating it is harmless. */
export const RenameKey = defineRpc({
  subject: 'key.{env}.v1.rpc.rename-key',
  owner: 'keys',
  callers: ['console', 'ops'],
  proof: 'member',
  queue: 'keys',
  request: z.object({
    account: AccountId,
    key: KeyId,
    name: KeyName,
    /** Absent from callers older than the audit log. */
    actor: Actor.optional(),
  }),
  reply: KeyView,
  errors: ['key_not_found', 'account_not_found', 'not_permitted'],
  timeoutMs: 3_000,
});
