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

/** How tools name a deployment. */
export const DeploymentRef = z
  .string()
  .min(1)
  .max(110)
  .describe('Slug of the deployment, like deployment-7, or one of its aliases, like account/alias.');

/** What destructive tools ask for besides. */
export const confirmSlug = z.string().max(110).describe('The slug again, like deployment-7, once the person you work for agrees.');

const notFound = (ref: string): ServiceError =>
  new ServiceError('deployment_not_found', `This account has no deployment "${ref}".`, { param: 'slug' });

/** The alias in `account/alias`, or in `alias` alone; null for another account's. */
export function aliasOf(ref: string, accountSlug: string): AliasName | null {
  const [first = '', second, ...rest] = ref.split('/');
  if (rest.length > 0 || (second !== undefined && first !== accountSlug)) return null;
  const parsed = AliasName.safeParse(second ?? first);
  return parsed.success ? parsed.data : null;
}

type AliasName = z.infer<typeof AliasName>;

/**
 * The number of the deployment that a slug or an alias names. A slug is not looked up: who uses it asks for it anyway.
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

/** @throws ServiceError `deployment_not_found` */
export async function openDeployment(ref: string, call: ToolCall): Promise<FoundDeployment> {
  const { rpc, caller } = call;
  return rpc.call(FindDeployment, { account: caller.account, deployment: await deploymentIdOf(ref, call) });
}

/**
 * Holds a call to what was confirmed.
 * @throws ServiceError `invalid_request` with what to repeat
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

/** @throws ServiceError unless the slug itself was repeated */
export function requireSlug(id: DeploymentId, confirmed: string): void {
  requireConfirmation('confirm_slug', confirmed, deploymentSlug(id));
}
