import { ListAliases, PointAlias, RemoveAlias, deploymentSlug } from '@slipway/contracts';
import { Argument } from 'commander';
import { findAccount } from '../accounts/find-account.js';
import { CliError, UsageError } from '../cli-errors.js';
import { ACCOUNT, type Call, command, group } from '../command.js';
import {
  accountOf,
  type AliasReference,
  aliasReference,
  DEPLOYMENT,
  type DeploymentReference,
  findDeployment,
} from '../deployments/deployment-name.js';
import { tableOr } from '../table.js';

const ALIAS = new Argument('<ALIAS>', 'its name, with or without the account: demo, local/demo').argParser(aliasReference);

const point = command('point', 'Makes an alias, or points it at another deployment of the same account.')
  .addArgument(ALIAS)
  .addArgument(DEPLOYMENT)
  .option('--override <REASON>', 'although its adapter did not pass its gate; kept in the audit log')
  .takes(ACCOUNT)
  .plans(
    (
      { options: { override } }: Call<{ readonly override?: string }>,
      { account: named, alias }: AliasReference,
      reference: DeploymentReference,
    ) => {
      if (named !== null && reference.account !== null && named !== reference.account) {
        throw new UsageError('An alias and its deployment belong to one account.');
      }
      return async (session) => {
        const { account, view, slug } = await findDeployment(session, { ...reference, account: reference.account ?? named });
        const reply = await session.call(PointAlias, { account: account.id, alias, deployment: view.id, override });
        return { json: { account: account.slug, ...reply, slug }, text: `${account.slug}/${alias} points at ${slug}.` };
      };
    },
  );

const list = command('list', 'Lists the aliases of an account.')
  .takes(ACCOUNT)
  .plans(() => async (session) => {
    const account = await findAccount(session);
    const { aliases } = await session.call(ListAliases, { account: account.id });
    const rows = aliases.map(({ alias, deployment, since }) => [`${account.slug}/${alias}`, deploymentSlug(deployment), since]);
    return {
      json: { account: account.slug, aliases: aliases.map((one) => ({ ...one, slug: deploymentSlug(one.deployment) })) },
      text: tableOr(`No aliases in account ${account.slug}.`, ['ALIAS', 'DEPLOYMENT', 'SINCE'], rows),
    };
  });

const remove = command('remove', 'Removes an alias; its deployment stays.')
  .addArgument(ALIAS)
  .takes(ACCOUNT)
  .plans((_, { account: named, alias }: AliasReference) => async (session) => {
    const account = await accountOf(session, named);
    const reply = await session.call(RemoveAlias, { account: account.id, alias });
    if (!reply.removed) throw new CliError('alias_not_found', `There is no alias ${account.slug}/${alias}.`);
    return { json: { account: account.slug, ...reply }, text: `Removed ${account.slug}/${alias}.` };
  });

export const aliases = group('aliases', 'Points, lists and removes aliases.', [point, list, remove]);
