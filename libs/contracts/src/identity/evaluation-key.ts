import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, KeyId } from '../ids.js';
import { actorField } from './audit.js';

/** Lifetime of an evaluation key in seconds; another request prolongs it. */
export const EVALUATION_KEY_LIFE_S = 600;

/**
 * The key with which tuning-service calls the gateway for evaluations of an account. It is in no list, and usage names it Evaluation.
 * It ends ten minutes after the last request for it.
 */
export const OpenEvaluationKey = defineRpc({
  subject: 'key.{env}.v1.rpc.open-evaluation-key',
  owner: 'keys',
  callers: ['tuning'],
  queue: 'keys',
  request: z.object({
    account: AccountId,
    /** A value that the caller has: prolonged if it is still valid. Absent or invalid = a new one is made. */
    value: z
      .string()
      .regex(/^svc_dep_[0-9A-Za-z]{49}$/)
      .optional(),
    ...actorField,
  }),
  reply: z.object({
    key: KeyId,
    /** The whole key, only in the reply that makes it; null = the given value was prolonged. */
    value: z.string().nullable(),
    expires_at: z.iso.datetime(),
  }),
  errors: ['account_not_found'],
  timeoutMs: 5_000,
});
