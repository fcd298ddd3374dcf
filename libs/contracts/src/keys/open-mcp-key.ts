import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, AccountSlug, KeyId } from '../ids.js';
import { McpScope } from './key-proof.js';
import { Limits } from './limits.js';

/**
 * What an MCP key opens. Asked for each request, so that a key that was rotated opens nothing a moment later. Unknown and
 * rotated keys, those of another environment and of suspended accounts are the same `invalid_api_key`.
 */
export const OpenMcpKey = defineRpc({
  subject: 'key.{env}.v1.rpc.open-mcp-key',
  owner: 'keys',
  callers: ['console'],
  proof: 'carried',
  queue: 'keys',
  /** The whole key, as a client sent it. */
  request: z.object({
    value: z.string().regex(/^svc_mcp_[0-9A-Za-z]{49}$/),
    /** What the proof shall be good for. Absent = `write`. */
    scope: McpScope.optional(),
  }),
  reply: z.object({
    key: KeyId,
    account: AccountId,
    slug: AccountSlug,
    limits: Limits,
    /** For calls on behalf of this key, see `KeyProofClaims`. Absent from replicas of release 0.1. */
    proof: z.string().optional(),
  }),
  errors: ['invalid_api_key'],
  timeoutMs: 3_000,
});
