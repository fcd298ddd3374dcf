import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, KeyId } from '../ids.js';
import { eachReadable, enumOr } from '../schemas.js';
import { CLIENT_CHARS, McpScope } from './mcp-key.js';

/** Calls that keys-service keeps of an account's MCP key; older ones are deleted. */
export const MCP_CALLS_KEPT = 200;
/** Most calls of one report. */
export const MCP_CALLS_MAX = 100;

/** One call of an MCP tool. Arguments and results are stored nowhere. */
export const McpCall = z.object({
  at: z.iso.datetime(),
  tool: z.string().regex(/^[a-z][a-z0-9_]{0,63}$/),
  /** `read` = the tool changes nothing. An unknown word is read as `write`. */
  access: enumOr(McpScope, 'write'),
  /** `ok`, or the code of the error. */
  outcome: z.string().regex(/^[a-z0-9_]{1,40}$/),
  /** Duration in milliseconds. */
  ms: z.int().nonnegative().max(2_147_483_647),
  /** The client's name for itself, unverified; null = none. */
  client: z.string().min(1).max(CLIENT_CHARS).nullable(),
});
export type McpCall = z.infer<typeof McpCall>;

/**
 * Stores calls of an account's MCP key, of which the newest 200 are kept. The console reports them after the fact, in batches; a
 * lost batch is not sent again. Any other key is ignored.
 */
export const RecordMcpCalls = defineRpc({
  subject: 'key.{env}.v1.rpc.record-mcp-calls',
  owner: 'keys',
  callers: ['console'],
  proof: 'key',
  queue: 'keys',
  request: z.object({ account: AccountId, key: KeyId, calls: z.array(McpCall).min(1).max(MCP_CALLS_MAX) }),
  reply: z.object({}),
  errors: [],
  timeoutMs: 3_000,
});

/** The last calls of an account's MCP key, newest first; at most 200. They survive a rotation of the key. */
export const ListMcpCalls = defineRpc({
  subject: 'key.{env}.v1.rpc.list-mcp-calls',
  owner: 'keys',
  callers: ['console', 'ops'],
  proof: 'viewer',
  queue: 'keys',
  request: z.object({ account: AccountId }),
  reply: z.object({ calls: eachReadable(McpCall) }),
  errors: ['account_not_found'],
  timeoutMs: 3_000,
});
