import { RemoveAlias } from '@slipway/contracts';
import { z } from 'zod';
import { aliasInput, readAlias, requireConfirmation } from '../deployment-reference.js';
import { defineTool } from '../mcp-tool.js';

export const deleteAlias = defineTool({
  name: 'delete_alias',
  title: 'Delete an alias',
  description: 'Removes an alias: requests to it then fail. The deployment stays. Ask the person you work for first.',
  hints: { isReadOnly: false, isDestructive: true, isIdempotent: true },
  input: z.object({
    alias: aliasInput,
    confirm_alias: z.string().max(110).describe('The alias again, in the same words, once it may go.'),
  }),
  output: z.object({ alias: z.string(), removed: z.boolean().describe('False when there was no such alias.') }),
  run: async ({ alias: text, confirm_alias: confirmed }, { rpc, caller, actor }) => {
    const alias = readAlias(text, caller.slug);
    requireConfirmation('confirm_alias', confirmed, text);
    const { removed } = await rpc.call(RemoveAlias, { account: caller.account, alias, actor });
    return { alias: `${caller.slug}/${alias}`, removed };
  },
});
