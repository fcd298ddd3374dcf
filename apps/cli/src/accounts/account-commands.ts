import { type AccountState, CreateAccount, FindAccount, SetAccountLimits, SetAccountState } from '@slipway/contracts';
import { CliError } from '../cli-errors.js';
import type { Command, Group } from '../command.js';
import { changedLimits, LIMIT_OPTIONS, limitChanges, limitText } from '../limits/limit-options.js';
import { notEverywhere, obeyed } from '../keys/shown-key.js';
import { tableOr } from '../table.js';
import { accountSlug, allAccounts } from './find-account.js';
import { deleteAccount } from './delete-command.js';
import { quota } from './quota-command.js';

const create: Command = {
  name: 'create',
  summary: 'Makes an account.',
  words: [{ name: 'SLUG', about: 'its name in addresses; never changes' }],
  options: {},
  plan(call) {
    const slug = accountSlug(call.word('SLUG'));
    return async (session) => {
      const account = await session.call(CreateAccount, { slug });
      return { json: account, text: `Made account ${account.slug} (${account.id}).`, note: notEverywhere(account) };
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

const limits: Command = {
  name: 'limits',
  summary: 'Shows what the keys of an account may use together at most, or changes it.',
  remark: 'Each option takes a number or none; limits that are not named stay as they are.',
  words: [{ name: 'SLUG', about: 'the account' }],
  options: LIMIT_OPTIONS,
  plan(call) {
    const slug = accountSlug(call.word('SLUG'));
    const changes = limitChanges(call.options);
    return async (session) => {
      const account = (await allAccounts(session)).find((one) => one.slug === slug);
      if (!account) throw new CliError('account_not_found', `There is no account "${slug}".`);
      const old = account.limits ?? {};
      if (Object.keys(changes).length === 0) {
        return { json: { id: account.id, limits: old }, text: `Account ${slug} has ${limitText(old)}.` };
      }
      const reply = await session.call(SetAccountLimits, { account: account.id, limits: changedLimits(old, changes) });
      return { json: reply, text: `Account ${slug} has ${limitText(reply.limits)}. ${obeyed(reply)}` };
    };
  },
};

/** @param done what is said of the account afterwards */
const stateCommand = (
  name: string,
  state: AccountState,
  { summary, remark, done }: Record<'summary' | 'remark' | 'done', string>,
): Command => ({
  name,
  summary,
  remark,
  words: [{ name: 'SLUG', about: 'the account' }],
  options: {},
  plan(call) {
    const slug = accountSlug(call.word('SLUG'));
    return async (session) => {
      const { id } = await session.call(FindAccount, { slug });
      const reply = await session.call(SetAccountState, { account: id, state });
      return { json: reply, text: `Account ${slug} ${done}. ${obeyed(reply)}` };
    };
  },
});

const suspend = stateCommand('suspend', 'suspended', {
  summary: 'Closes an account until it is resumed.',
  remark: 'Its API keys, MCP key and playground open nothing and its running streams end; keys, deployments, people and figures stay.',
  done: 'is suspended',
});

const resume = stateCommand('resume', 'active', {
  summary: 'Lets a suspended account go on.',
  remark: 'Its keys work again as they did before.',
  done: 'is active',
});

export const accounts: Group = {
  name: 'accounts',
  summary: 'Makes, lists, limits, suspends and deletes accounts.',
  commands: [create, list, limits, quota, suspend, resume, deleteAccount],
};
