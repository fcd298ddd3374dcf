import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId } from '../ids.js';
import { Limits } from './limits.js';

/** What all keys of an account may use together. */
export const FindAccountLimits = defineRpc({
  subject: 'key.{env}.v1.rpc.find-account-limits',
  owner: 'keys',
  callers: ['console', 'ops'],
  proof: 'viewer',
  queue: 'keys',
  request: z.object({ account: AccountId }),
  reply: z.object({ limits: Limits }),
  errors: ['account_not_found'],
  timeoutMs: 3_000,
});
