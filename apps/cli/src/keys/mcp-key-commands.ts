import { CreateMcpKey, FindMcpKey, RotateMcpKey } from '@slipway/contracts';
import { findAccount } from '../accounts/find-account.js';
import { ACCOUNT, command, group } from '../command.js';
import { fields } from '../table.js';
import { propagationText } from './propagation.js';
import { shown } from './shown-key.js';

const create = command('create', 'Makes the MCP key of an account, of which there is one at most, and shows it this once.')
  .takes(ACCOUNT)
  .plans(() => async (session) => {
    const account = await findAccount(session);
    const key = await session.call(CreateMcpKey, { account: account.id });
    return shown(`MCP key of account ${account.slug}:`, { ...key, account: account.slug });
  });

const show = command('show', 'Shows whether an account has its MCP key, without the value.')
  .takes(ACCOUNT)
  .plans(() => async (session) => {
    const account = await findAccount(session);
    const { key } = await session.call(FindMcpKey, { account: account.id });
    const none = `Account ${account.slug} has no MCP key: npx slipway keys mcp create makes it.`;
    const text =
      key &&
      fields([
        ['ID', key.id],
        ['Key', `${key.hint}…`],
        ['State', key.state],
        ['Created', key.created_at],
        ['Rotated', key.rotated_at],
      ]);
    return { json: { account: account.slug, key }, text: text ?? none };
  });

const rotate = command('rotate', 'Gives the MCP key of an account a new value and shows it this once; the old value stops working.')
  .takes(ACCOUNT)
  .plans(() => async (session) => {
    const account = await findAccount(session);
    const key = await session.call(RotateMcpKey, { account: account.id });
    return shown(`New MCP key of account ${account.slug}:`, { ...key, account: account.slug }, propagationText(key));
  });

export const mcp = group('mcp', 'Makes, shows and rotates the MCP key of an account.', [create, show, rotate]);
