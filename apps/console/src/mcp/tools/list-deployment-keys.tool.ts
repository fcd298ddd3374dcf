import { KeyId, ListKeys } from '@slipway/contracts';
import { z } from 'zod';
import { defineTool, knownFields, READS } from '../mcp-tool.js';
import { readCursor, writeCursor } from '../page-cursor.js';

const KeyState = z.enum(['active', 'expired', 'revoked']);

export const listDeploymentKeys = defineTool({
  name: 'list_deployment_keys',
  title: 'List deployment keys',
  description:
    'Lists the keys by which programs call deployments, newest first, never their values. Keys are created and rotated by people at console_url: a value in a conversation would be known to too many.',
  hints: READS,
  input: z.object({
    state: KeyState.optional(),
    cursor: z.string().max(200).optional().describe('next_cursor of the previous page; leave it out for the first page.'),
  }),
  output: z.object({
    keys: z.array(
      z.object({
        id: z.int(),
        name: z.string(),
        hint: z.string().describe('How its value begins.'),
        state: KeyState,
        created_at: z.string(),
        expires_at: z.string().optional(),
        last_used_at: z.string().optional(),
      }),
    ),
    console_url: z.string(),
    next_cursor: z.string().optional(),
  }),
  run: async ({ state, cursor }, { rpc, caller, addresses }) => {
    const place = readCursor(cursor, /^[1-9]\d{0,9}$/);
    const before = place === null ? undefined : KeyId.parse(Number(place));
    const { keys, next } = await rpc.call(ListKeys, { account: caller.account, before });
    return {
      keys: keys
        .filter((key) => state === undefined || key.state === state)
        .map(({ id, name, hint, state: keyState, created_at, expires_at: expires, last_used_at: used }) => ({
          ...{ id, name, hint, state: keyState, created_at },
          ...knownFields({ expires_at: expires, last_used_at: used }),
        })),
      console_url: `${addresses.consoleUrl}/api-keys`,
      ...(typeof next === 'number' && { next_cursor: writeCursor(String(next)) }),
    };
  },
});
