import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, KeyId, SessionId } from '../ids.js';
import { Actor } from './audit.js';

/** Life of a playground key, in seconds; asking again prolongs it. */
export const PLAYGROUND_KEY_LIFE_S = 600;

/**
 * The key by which the console calls the gateway for somebody in the playground: one of its session and account, that no
 * list shows. It ends ten minutes after it was asked for last, with its session at the latest, and at once when that is ended
 * or its tokens are taken back. Only who may change something gets one.
 */
export const OpenPlayground = defineRpc({
  subject: 'key.{env}.v1.rpc.open-playground',
  owner: 'keys',
  callers: ['console'],
  proof: 'session',
  queue: 'keys',
  request: z.object({
    account: AccountId,
    session: SessionId,
    actor: Actor,
    /** A value that the caller has of this session: prolonged while it lives. Absent, or dead = another one is made. */
    value: z
      .string()
      .regex(/^svc_dep_[0-9A-Za-z]{49}$/)
      .optional(),
  }),
  reply: z.object({
    key: KeyId,
    /** The whole key, in the reply that makes it alone; null = the one that was sent lives on. */
    value: z.string().nullable(),
    expires_at: z.iso.datetime(),
  }),
  errors: ['account_not_found', 'not_permitted', 'session_ended'],
  timeoutMs: 5_000,
});

/**
 * Prolongs a key of the playground while its session and the role of its person go on; the key itself proves who asks. So an
 * answer may take longer than the session token that it began with. A key that is over, or is none, is `session_ended`.
 */
export const KeepPlayground = defineRpc({
  subject: 'key.{env}.v1.rpc.keep-playground',
  owner: 'keys',
  callers: ['console'],
  proof: 'carried',
  queue: 'keys',
  request: z.object({ value: z.string().regex(/^svc_dep_[0-9A-Za-z]{49}$/) }),
  reply: z.object({ expires_at: z.iso.datetime() }),
  errors: ['session_ended'],
  timeoutMs: 5_000,
});
