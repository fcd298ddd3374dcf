import { type AccountState, CreateAccount, FindAccount, SetAccountLimits, SetAccountState } from '@slipway/contracts';
import { CliError } from '../cli-errors.js';
import { type Call, type CliCommand, command, group } from '../command.js';
import { changedLimits, LIMIT_OPTIONS, type LimitValues, limitChanges, limitText } from '../keys/limit-options.js';
import { delayNote, propagationText } from '../keys/propagation.js';
import { tableOr } from '../table.js';
import { type AccountSlug, accountSlug, allAccounts } from './find-account.js';
import { deleteAccount } from './delete-command.js';
import { quota } from './quota-command.js';

const create = command('create', 'Makes an account.')
  .argument('<SLUG>', 'its name in addresses; never changes', accountSlug)
  .plans((_, slug: AccountSlug) => async (session) => {
    const account = await session.call(CreateAccount, { slug });
    return { json: account, text: `Made account ${account.slug} (${account.id}).`, note: delayNote(account) };
  });

const list = command('list', 'Lists all accounts.').plans(() => async (session) => {
  const accounts = await allAccounts(session);
  const rows = accounts.map(({ id, slug, state, created_at }) => [id, slug, state, created_at]);
  return { json: { accounts }, text: tableOr('No accounts.', ['ID', 'SLUG', 'STATE', 'CREATED'], rows) };
});

const limits = command(
  'limits',
  'Shows the limits that the keys of an account share, or changes them.',
  'Each option takes a number or none; limits that are not named stay as they are.',
)
  .argument('<SLUG>', 'the account', accountSlug)
  .takes(...LIMIT_OPTIONS)
  .plans(({ options }: Call<LimitValues>, slug: AccountSlug) => {
    const changes = limitChanges(options);
    return async (session) => {
      const account = (await allAccounts(session)).find((one) => one.slug === slug);
      if (!account) throw new CliError('account_not_found', `There is no account "${slug}".`);
      const old = account.limits ?? {};
      if (Object.keys(changes).length === 0) {
        return { json: { id: account.id, limits: old }, text: `Account ${slug} has ${limitText(old)}.` };
      }
      const reply = await session.call(SetAccountLimits, { account: account.id, limits: changedLimits(old, changes) });
      return { json: reply, text: `Account ${slug} has ${limitText(reply.limits)}. ${propagationText(reply)}` };
    };
  });

/** Completes a command that sets the state of an account. */
const setsState = (start: CliCommand, state: AccountState): CliCommand =>
  start.argument('<SLUG>', 'the account', accountSlug).plans((_, slug: AccountSlug) => async (session) => {
    const { id } = await session.call(FindAccount, { slug });
    const reply = await session.call(SetAccountState, { account: id, state });
    return { json: reply, text: `Account ${slug} is ${state}. ${propagationText(reply)}` };
  });

const suspend = command(
  'suspend',
  'Closes an account until it is resumed.',
  'Its API keys, MCP key and playground are refused and its running streams end; keys, deployments, people and usage stay.',
);
const resume = command('resume', 'Opens a suspended account again.', 'Its keys work again as before.');

export const accounts = group('accounts', 'Makes, lists, limits, suspends and deletes accounts.', [
  ...[create, list, limits, quota, setsState(suspend, 'suspended'), setsState(resume, 'active'), deleteAccount],
]);
