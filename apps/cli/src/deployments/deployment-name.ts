import { AliasName, DeploymentId, type DeploymentView, deploymentSlug, parseDeploymentSlug } from '@slipway/contracts';
import { allDeployments } from '@slipway/platform';
import { Argument } from 'commander';
import { accountSlug, findAccount } from '../accounts/find-account.js';
import { CliError, UsageError } from '../cli-errors.js';
import type { Account, Session } from '../session/session.js';
import { checkedBy } from '../values.js';

/** How a person names a deployment: by slug, number or alias, the alias with or without its account. */
export interface DeploymentReference {
  /** Null unless it was written as `account/alias`. */
  readonly account: string | null;
  readonly name: string;
  /** It can only be an alias, even if it looks like a number. */
  readonly isAlias: boolean;
}

const ALIAS_RULE = 'an alias has up to 63 lower-case letters, digits, dots, underscores and hyphens, and begins with a letter or digit';

/** Reads the name of an alias. @throws UsageError */
const aliasName = checkedBy(AliasName, (text) => `"${text}" is no alias: ${ALIAS_RULE}; some words are reserved.`);

/** How a person names an alias; the account is null where none is written. */
export interface AliasReference {
  readonly account: string | null;
  readonly alias: string;
}

/** Splits `account/alias`. @throws UsageError */
export function aliasReference(text: string): AliasReference {
  const slash = text.indexOf('/');
  if (slash < 0) return { account: null, alias: aliasName(text) };
  return { account: accountSlug(text.slice(0, slash)), alias: aliasName(text.slice(slash + 1)) };
}

/** Reads what names a deployment. @throws UsageError */
export function deploymentReference(text: string): DeploymentReference {
  if (parseDeploymentSlug(text) !== null || /^\d+$/.test(text)) return { account: null, name: text, isAlias: false };
  if (text.startsWith('deployment-')) throw new UsageError(`"${text}" is no deployment: slugs look like deployment-7.`);
  const { account, alias } = aliasReference(text);
  return { account, name: alias, isAlias: true };
}

/** The argument that names a deployment. */
export const DEPLOYMENT = new Argument('<DEPLOYMENT>', 'its slug, number or alias: deployment-7, 7, demo, local/demo').argParser(
  deploymentReference,
);

/** The account that a reference names, or that the command works in. */
export async function accountOf(session: Session, named: string | null): Promise<Account> {
  const { accountOption } = session;
  if (named !== null && accountOption !== undefined && accountOption !== named) {
    throw new UsageError(`"${named}/…" and --account ${accountOption} name two accounts.`);
  }
  return findAccount(session, named ?? accountOption);
}

/**
 * Picks the deployment that a reference means.
 * @param where slug of the account whose deployments these are
 * @throws CliError `deployment_not_found`, or `ambiguous` where a number is both an id and an alias
 */
export function pickDeployment(
  deployments: readonly DeploymentView[],
  { name, isAlias }: DeploymentReference,
  where: string,
): DeploymentView {
  const number = isAlias ? undefined : (parseDeploymentSlug(name) ?? DeploymentId.safeParse(Number(name)).data);
  const byId = number === undefined ? undefined : deployments.find(({ id }) => id === number);
  const byAlias = deployments.find(({ aliases }) => aliases.some((alias) => alias === name));
  const found = byId ?? byAlias;
  if (!found) throw new CliError('deployment_not_found', `There is no deployment "${name}" in account ${where}.`);
  if (byId && byAlias && byId.id !== byAlias.id) {
    const [one, other] = [deploymentSlug(byId.id), deploymentSlug(byAlias.id)];
    throw new CliError('ambiguous', `"${name}" is the number of ${one} and an alias of ${other}: name it by its slug.`);
  }
  return found;
}

/** A deployment that a command found, with its account. */
export interface FoundDeployment {
  readonly account: Account;
  readonly view: DeploymentView;
  readonly slug: string;
}

/** Finds a deployment of the account that the reference or the command line names. */
export async function findDeployment(session: Session, reference: DeploymentReference): Promise<FoundDeployment> {
  const account = await accountOf(session, reference.account);
  const { deployments } = await allDeployments(session, account.id);
  const view = pickDeployment(deployments, reference, account.slug);
  return { account, view, slug: deploymentSlug(view.id) };
}
