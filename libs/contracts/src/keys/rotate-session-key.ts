import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { Actor } from './actor.js';

/**
 * Makes a new key that signs session tokens from now on. Tokens of the old one stay good until they expire,
 * unless it is revoked: then everybody refreshes.
 */
export const RotateSessionKey = defineRpc({
  subject: 'key.{env}.v1.rpc.rotate-session-key',
  owner: 'keys',
  callers: ['ops'],
  queue: 'keys',
  request: z.object({
    /** The old keys verify nothing from now on, as after a leak. */
    revoke_old: z.boolean().optional(),
    actor: Actor,
  }),
  reply: z.object({ kid: z.string() }),
  errors: [],
  timeoutMs: 3_000,
});
