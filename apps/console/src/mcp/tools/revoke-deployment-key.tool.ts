import { KeyId, ListKeys, RevokeKey, ServiceError } from '@slipway/contracts';
import { z } from 'zod';
import { defineTool, type ToolCall } from '../mcp-tool.js';
import { requireConfirmation } from '../deployment-reference.js';

async function nameOf(key: KeyId, { rpc, caller }: ToolCall): Promise<string> {
  // Lists hold keys with ids below `before`: the first one below id + 1 is the key itself, if it exists.
  const before = KeyId.safeParse(key + 1);
  const { keys } = await rpc.call(ListKeys, { account: caller.account, ...(before.success && { before: before.data }) });
  const found = keys.find(({ id }) => id === key);
  if (found) return found.name;
  throw new ServiceError('key_not_found', 'This account has no deployment key of this number.', { param: 'key' });
}

export const revokeDeploymentKey = defineTool({
  name: 'revoke_deployment_key',
  title: 'Revoke a deployment key',
  description:
    'Ends a deployment key for good: programs that use it get 401 within a second. It cannot be undone. Ask the person you work for first.',
  hints: { isReadOnly: false, isDestructive: true, isIdempotent: true },
  input: z.object({
    key_id: z.int().positive().max(2_147_483_647).describe('id of list_deployment_keys.'),
    confirm_name: z.string().max(100).describe('The name of the key, once it may be revoked.'),
  }),
  output: z.object({
    id: z.int(),
    state: z.literal('revoked'),
    obeyed: z.boolean().describe('True when every gateway has confirmed it; the others follow within a second.'),
  }),
  run: async ({ key_id, confirm_name: confirmed }, call) => {
    const key = KeyId.parse(key_id);
    requireConfirmation('confirm_name', confirmed, await nameOf(key, call));
    const { id, propagated } = await call.rpc.call(RevokeKey, { account: call.caller.account, key, actor: call.actor });
    return { id, state: 'revoked' as const, obeyed: propagated };
  },
});
