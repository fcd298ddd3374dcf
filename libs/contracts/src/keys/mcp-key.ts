import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { propagatedFields, propagatedFieldsOfNow } from '../feed.js';
import { Actor } from '../identity/audit.js';
import { Limits } from '../identity/limits.js';
import { AccountId, AccountSlug, KeyId } from '../ids.js';
import { KeyView } from './key-view.js';

/** Header `typ` of the token that proves an MCP key to the services. */
export const KEY_PROOF_TYPE = 'mcp+jwt';
/** Lifetime of such a token, in seconds: longer than any request to the MCP server takes. */
export const KEY_PROOF_LIFE_S = 60;

/** `aud` of an environment's key proofs: services accept them for RPCs, the console's HTTP API does not. */
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

/**
 * Creates the account's MCP key. An account has one at most: of concurrent requests one succeeds, and an existing key is only
 * rotated. The value is in this reply and can never be read again. The reply is sent when every gateway knows the key, or after
 * a second.
 */
export const CreateMcpKey = defineRpc({
  subject: 'key.{env}.v1.rpc.create-mcp-key',
  owner: 'keys',
  callers: ['console', 'ops'],
  proof: 'member',
  queue: 'keys',
  request: z.object({
    account: AccountId,
    /** Absent from callers older than the audit log. */
    actor: Actor.optional(),
  }),
  reply: z.object({
    id: KeyId,
    /** The whole key, shown once. */
    value: z.string(),
    /** Prefix and first four characters. */
    hint: z.string(),
    ...propagatedFieldsOfNow,
  }),
  errors: ['account_not_found', 'mcp_key_exists', 'not_permitted'],
  timeoutMs: 5_000,
});

/** The account's MCP key without its value, null while there is none. */
export const FindMcpKey = defineRpc({
  subject: 'key.{env}.v1.rpc.find-mcp-key',
  owner: 'keys',
  callers: ['console', 'ops'],
  proof: 'viewer',
  queue: 'keys',
  request: z.object({ account: AccountId }),
  reply: z.object({
    key: KeyView.nullable(),
    /** The client that used it last, as it named itself; null where it was not used, or did not. Absent from older replicas. */
    last_client: z.string().nullable().optional(),
  }),
  errors: ['account_not_found'],
  timeoutMs: 3_000,
});

/**
 * Gives the account's MCP key a new value; the old one becomes invalid in the same change. `key_not_found`
 * while it has none. The new value is in this reply and can never be read again.
 */
export const RotateMcpKey = defineRpc({
  subject: 'key.{env}.v1.rpc.rotate-mcp-key',
  owner: 'keys',
  callers: ['console', 'ops'],
  proof: 'member',
  queue: 'keys',
  request: z.object({
    account: AccountId,
    /** Absent from callers older than the audit log. */
    actor: Actor.optional(),
  }),
  reply: z.object({
    id: KeyId,
    /** The whole key, shown once. */
    value: z.string(),
    /** Prefix and first four characters. */
    hint: z.string(),
    ...propagatedFields,
  }),
  errors: ['account_not_found', 'key_not_found', 'not_permitted'],
  timeoutMs: 5_000,
});

/**
 * The account of an MCP key. The console asks for each request, so that a rotated key is refused at once. Unknown and rotated
 * keys, those of another environment and of suspended accounts are all `invalid_api_key`.
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

/** Longest name of a client that is kept. */
export const CLIENT_CHARS = 200;

/**
 * An account's MCP key was used just now. The console reports at most once a minute for each client; of several at once the last one
 * stands. A key that is no MCP key of this account changes nothing.
 */
export const RecordMcpUse = defineRpc({
  subject: 'key.{env}.v1.rpc.record-mcp-use',
  owner: 'keys',
  callers: ['console'],
  proof: 'key',
  queue: 'keys',
  request: z.object({
    account: AccountId,
    key: KeyId,
    /** As the client names itself; no proof. Absent = it did not. */
    client: z.string().min(1).max(CLIENT_CHARS).optional(),
  }),
  reply: z.object({}),
  errors: [],
  timeoutMs: 3_000,
});
