import {
  AliasName,
  type DeploymentId,
  deploymentSlug,
  FindDeployment,
  ListAliases,
  parseDeploymentSlug,
  ServiceError,
} from '@slipway/contracts';
import { z } from 'zod';
import type { ToolCall } from './mcp-tool.js';

/** Tool argument that names a deployment. */
export const DeploymentRef = z
  .string()
  .min(1)
  .max(110)
  .describe('Slug of the deployment, like deployment-7, or one of its aliases, like account/alias.');

/** Additional argument of destructive tools. */
export const confirmSlug = z.string().max(110).describe('The slug again, like deployment-7, once the person you work for agrees.');

const notFound = (ref: string): ServiceError =>
  new ServiceError('deployment_not_found', `This account has no deployment "${ref}".`, { param: 'slug' });

/** The alias in `account/alias` or `alias`; null for no alias or one of another account. */
function aliasOf(ref: string, accountSlug: string): AliasName | null {
  const [first = '', second, ...rest] = ref.split('/');
  if (rest.length > 0 || (second !== undefined && first !== accountSlug)) return null;
  const parsed = AliasName.safeParse(second ?? first);
  return parsed.success ? parsed.data : null;
}

type AliasName = z.infer<typeof AliasName>;

/**
 * The id of the deployment that a slug or an alias names. The existence of a slug's deployment is not checked here.
 * @throws ServiceError `deployment_not_found`
 */
export async function deploymentIdOf(ref: string, { rpc, caller }: ToolCall): Promise<DeploymentId> {
  const id = parseDeploymentSlug(ref);
  if (id !== null) return id;
  const alias = aliasOf(ref, caller.slug);
  if (alias === null) throw notFound(ref);
  const { aliases } = await rpc.call(ListAliases, { account: caller.account });
  const found = aliases.find((candidate) => candidate.alias === alias);
  if (!found) throw notFound(ref);
  return found.deployment;
}

export type FoundDeployment = z.output<typeof FindDeployment.reply>;

/** Reads a deployment with its revisions. @throws ServiceError `deployment_not_found` */
export async function openDeployment(ref: string, call: ToolCall): Promise<FoundDeployment> {
  const { rpc, caller } = call;
  return rpc.call(FindDeployment, { account: caller.account, deployment: await deploymentIdOf(ref, call) });
}

/**
 * Checks the confirmation argument of a destructive tool.
 * @throws ServiceError `invalid_request` with the expected text
 */
export function requireConfirmation(argument: string, given: string, wanted: string): void {
  if (given === wanted) return;
  throw new ServiceError(
    'invalid_request',
    `Nothing was changed: ${argument} must be exactly "${wanted}". Ask the person you work for first.`,
    {
      param: argument,
    },
  );
}

/** Checks that the confirmation repeats the slug. @throws ServiceError `invalid_request` */
export function requireSlug(id: DeploymentId, confirmed: string): void {
  requireConfirmation('confirm_slug', confirmed, deploymentSlug(id));
}

/** Tool argument that names an alias. */
export const aliasInput = z.string().min(1).max(110).describe('An alias of this account: my-model, or account/my-model.');

/** Reads an alias of the account. @throws ServiceError `invalid_request` for no alias or one of another account */
export function readAlias(text: string, accountSlug: string): z.infer<typeof AliasName> {
  const alias = aliasOf(text, accountSlug);
  if (alias !== null) return alias;
  throw new ServiceError(
    'invalid_request',
    `"${text}" is no alias of ${accountSlug}. An alias has 1 to 63 of a-z, 0-9, dot, dash and underscore, and is no reserved word.`,
    { param: 'alias' },
  );
}
