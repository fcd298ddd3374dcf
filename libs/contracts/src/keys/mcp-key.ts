import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { propagatedFields, propagatedFieldsOfNow } from '../feed.js';
import { actorField } from '../identity/audit.js';
import { Limits } from '../identity/limits.js';
import { AccountId, AccountSlug, KeyId } from '../ids.js';
import { KeyView, newKeyFields } from './key-view.js';

/** Header `typ` of a key proof: the token with which the console acts for an MCP key. */
export const KEY_PROOF_TYPE = 'mcp+jwt';
/** Lifetime of a key proof in seconds: longer than any request to the MCP server. */
export const KEY_PROOF_LIFE_S = 60;

/** `aud` of an environment's key proofs: services accept them for RPCs, the console's HTTP API does not. */
export const keyProofAudience = (env: string): string => `slipway:${env}:services`;

/** What a request to the MCP server may do: `read` only, or everything that a member may (`write`). */
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

/** What creation and rotation have in common. */
const command = { owner: 'keys', callers: ['console', 'ops'], proof: 'member', queue: 'keys' } as const;

/**
 * Creates the account's MCP key. An account has at most one: of concurrent requests one succeeds, and an existing key can only
 * be rotated. Only this reply contains the value. It is sent when every gateway knows the key, or after one second.
 */
export const CreateMcpKey = defineRpc({
  subject: 'key.{env}.v1.rpc.create-mcp-key',
  ...command,
  request: z.object({ account: AccountId, ...actorField }),
  reply: z.object({ ...newKeyFields, ...propagatedFieldsOfNow }),
  errors: ['account_not_found', 'mcp_key_exists', 'not_permitted'],
  timeoutMs: 5_000,
});

/** The account's MCP key without its value; null = none. */
export const FindMcpKey = defineRpc({
  subject: 'key.{env}.v1.rpc.find-mcp-key',
  owner: 'keys',
  callers: ['console', 'ops'],
  proof: 'viewer',
  queue: 'keys',
  request: z.object({ account: AccountId }),
  reply: z.object({
    key: KeyView.nullable(),
    /** The client that used it last, by its own name; null = unused or unnamed. Absent from older replicas. */
    last_client: z.string().nullable().optional(),
  }),
  errors: ['account_not_found'],
  timeoutMs: 3_000,
});

/**
 * Replaces the value of the account's MCP key; the old value becomes invalid in the same change. `key_not_found` where the
 * account has none. Only this reply contains the new value.
 */
export const RotateMcpKey = defineRpc({
  subject: 'key.{env}.v1.rpc.rotate-mcp-key',
  ...command,
  request: z.object({ account: AccountId, ...actorField }),
  reply: z.object({ ...newKeyFields, ...propagatedFields }),
  errors: ['account_not_found', 'key_not_found', 'not_permitted'],
  timeoutMs: 5_000,
});

/**
 * The account of an MCP key. The console calls this for each request, so that a rotated key is refused at once. Unknown and
 * rotated keys, and keys of other environments and of suspended accounts, all get `invalid_api_key`.
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
    /** Scope of the proof. Absent = `write`. */
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

/** Longest stored name of a client, in characters. */
export const CLIENT_CHARS = 200;

/**
 * Records that an account's MCP key was used just now. The console reports at most once a minute per client; the last report
 * wins. Any other key is ignored.
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
    /** The client's name for itself, unverified. Absent = none. */
    client: z.string().min(1).max(CLIENT_CHARS).optional(),
  }),
  reply: z.object({}),
  errors: [],
  timeoutMs: 3_000,
});
