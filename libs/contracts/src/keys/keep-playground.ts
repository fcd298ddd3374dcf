import { z } from 'zod';
import { defineRpc } from '../channel.js';

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
