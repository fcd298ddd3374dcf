import { CreateAccount } from '@slipway/contracts';
import type { Command, Group } from '../command.js';
import { tableOr } from '../table.js';
import { accountSlug, allAccounts } from './find-account.js';

const create: Command = {
  name: 'create',
  summary: 'Makes an account.',
  words: [{ name: 'SLUG', about: 'its name in addresses; never changes' }],
  options: {},
  plan(call) {
    const slug = accountSlug(call.word('SLUG'));
    return async (session) => {
      const account = await session.call(CreateAccount, { slug });
      return { json: account, text: `Made account ${account.slug} (${account.id}).` };
    };
  },
};

const list: Command = {
  name: 'list',
  summary: 'Lists all accounts.',
  words: [],
  options: {},
  plan: () => async (session) => {
    const accounts = await allAccounts(session);
    const rows = accounts.map(({ id, slug, state, created_at }) => [id, slug, state, created_at]);
    return { json: { accounts }, text: tableOr('No accounts.', ['ID', 'SLUG', 'STATE', 'CREATED'], rows) };
  },
};

export const accounts: Group = { name: 'accounts', summary: 'Makes and lists accounts.', commands: [create, list] };
