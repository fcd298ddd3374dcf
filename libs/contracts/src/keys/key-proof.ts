import { z } from 'zod';
import { AccountId } from '../ids.js';

/** Header `typ` of the token that proves an MCP key to the services. */
export const KEY_PROOF_TYPE = 'mcp+jwt';
/** Life of such a token, in seconds: longer than any one request to the MCP server works. */
export const KEY_PROOF_LIFE_S = 60;

/** `aud` of an environment's key proofs: they open the services' RPCs, and no door. */
export const keyProofAudience = (env: string): string => `slipway:${env}:services`;

/** What a request to the MCP server may do: `read` nothing but read, `write` what a member may. */
export const McpScope = z.enum(['read', 'write']);
export type McpScope = z.infer<typeof McpScope>;

/** Claims of a key proof, besides `iss`, `aud`, `iat` and `exp`. Signed like session tokens, by the same keys. */
export const KeyProofClaims = z.object({
  /** The key's number, as text. */
  sub: z.string().regex(/^[1-9][0-9]{0,9}$/),
  acct: AccountId,
  scope: McpScope,
});
export type KeyProofClaims = z.infer<typeof KeyProofClaims>;
