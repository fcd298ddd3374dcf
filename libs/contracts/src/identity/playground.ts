import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, KeyId, SessionId } from '../ids.js';
import { Actor } from './audit.js';

/** Lifetime of a playground key in seconds; another request prolongs it. */
export const PLAYGROUND_KEY_LIFE_S = 600;

/**
 * The key with which the console calls the gateway for a person in the playground. It belongs to one session and account and is
 * in no list. It ends ten minutes after the last request for it, and at once when the session ends or its tokens are revoked.
 * Members and owners get one, viewers do not.
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
    /** A value that the caller has for this session: prolonged if it is still valid. Absent or invalid = a new one is made. */
    value: z
      .string()
      .regex(/^svc_dep_[0-9A-Za-z]{49}$/)
      .optional(),
  }),
  reply: z.object({
    key: KeyId,
    /** The whole key, only in the reply that makes it; null = the given value was prolonged. */
    value: z.string().nullable(),
    expires_at: z.iso.datetime(),
  }),
  errors: ['account_not_found', 'not_permitted', 'session_ended'],
  timeoutMs: 5_000,
});

/**
 * Prolongs a playground key while its session and the role of its person last. The key itself is the proof, so an answer may
 * take longer than the session token that it began with. An expired or unknown key gets `session_ended`.
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
