import { ListAliases, PointAlias, RemoveAlias, deploymentSlug } from '@slipway/contracts';
import { findAccount } from '../accounts/find-account.js';
import { CliError, UsageError } from '../cli-errors.js';
import { ACCOUNT_OPTION, type Command, type Group } from '../command.js';
import { accountOf, aliasReference, deploymentReference, findDeployment } from '../deployments/deployment-name.js';
import { DEPLOYMENT } from '../deployments/show-commands.js';
import { tableOr } from '../table.js';

const ALIAS = { name: 'ALIAS', about: 'its name, with or without the account: demo, local/demo' };

const point: Command = {
  name: 'point',
  summary: 'Makes an alias, or points it at another deployment of the same account.',
  words: [ALIAS, DEPLOYMENT],
  options: ACCOUNT_OPTION,
  plan(call) {
    const { account: named, alias } = aliasReference(call.word(ALIAS.name));
    const reference = deploymentReference(call.word(DEPLOYMENT.name));
    if (named !== null && reference.account !== null && named !== reference.account) {
      throw new UsageError('An alias and its deployment belong to one account.');
    }
    return async (session) => {
      const { account, view, slug } = await findDeployment(session, { ...reference, account: reference.account ?? named });
      const reply = await session.call(PointAlias, { account: account.id, alias, deployment: view.id });
      return { json: { account: account.slug, ...reply, slug }, text: `${account.slug}/${alias} points at ${slug}.` };
    };
  },
};

const list: Command = {
  name: 'list',
  summary: 'Lists the aliases of an account.',
  words: [],
  options: ACCOUNT_OPTION,
  plan: () => async (session) => {
    const account = await findAccount(session);
    const { aliases } = await session.call(ListAliases, { account: account.id });
    const rows = aliases.map(({ alias, deployment, since }) => [`${account.slug}/${alias}`, deploymentSlug(deployment), since]);
    return {
      json: { account: account.slug, aliases: aliases.map((one) => ({ ...one, slug: deploymentSlug(one.deployment) })) },
      text: tableOr(`No aliases in account ${account.slug}.`, ['ALIAS', 'DEPLOYMENT', 'SINCE'], rows),
    };
  },
};

const remove: Command = {
  name: 'remove',
  summary: 'Removes an alias; its deployment stays.',
  words: [ALIAS],
  options: ACCOUNT_OPTION,
  plan(call) {
    const { account: named, alias } = aliasReference(call.word(ALIAS.name));
    return async (session) => {
      const account = await accountOf(session, named);
      const reply = await session.call(RemoveAlias, { account: account.id, alias });
      if (!reply.removed) throw new CliError('alias_not_found', `There is no alias ${account.slug}/${alias}.`);
      return { json: { account: account.slug, ...reply }, text: `Removed ${account.slug}/${alias}.` };
    };
  },
};

export const aliases: Group = { name: 'aliases', summary: 'Points, lists and removes aliases.', commands: [point, list, remove] };
