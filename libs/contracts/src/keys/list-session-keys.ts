import { z } from 'zod';
import { defineRpc } from '../channel.js';

/** The public keys that verify session tokens: the one that signs, and those whose tokens may still live. */
export const ListSessionKeys = defineRpc({
  subject: 'key.{env}.v1.rpc.list-session-keys',
  owner: 'keys',
  callers: ['console', 'deployments'],
  proof: 'role',
  queue: 'keys',
  request: z.object({}),
  reply: z.object({
    keys: z.array(
      z.object({ kid: z.string(), kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: z.base64url(), alg: z.literal('EdDSA') }),
    ),
  }),
  errors: [],
  timeoutMs: 3_000,
});
