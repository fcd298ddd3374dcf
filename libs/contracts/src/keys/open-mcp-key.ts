import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, AccountSlug, KeyId } from '../ids.js';
import { Limits } from './limits.js';

/**
 * What an MCP key opens. Asked for each request, so that a key that was rotated opens nothing a moment later. Unknown and
 * rotated keys, those of another environment and of suspended accounts are the same `invalid_api_key`.
 */
export const OpenMcpKey = defineRpc({
  subject: 'key.{env}.v1.rpc.open-mcp-key',
  owner: 'keys',
  callers: ['console'],
  queue: 'keys',
  /** The whole key, as a client sent it. */
  request: z.object({ value: z.string().regex(/^svc_mcp_[0-9A-Za-z]{49}$/) }),
  reply: z.object({ key: KeyId, account: AccountId, slug: AccountSlug, limits: Limits }),
  errors: ['invalid_api_key'],
  timeoutMs: 3_000,
});
