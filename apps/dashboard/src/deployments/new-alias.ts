import type { DeploymentView } from '@slipway/contracts';
import { ConsoleError, messageOf } from '../api/console-error.js';
import { call } from '../api/use-call.js';
import { announce } from '../ui/announcements.js';

/** An alias that another deployment has is never taken from it where a deployment is made. @throws ConsoleError */
export async function refuseTaken(alias: string): Promise<void> {
  if (alias === '') return;
  const taken = (await call('aliases/list', {})).aliases.find((one) => one.alias === alias);
  if (!taken) return;
  const text = `This alias points at deployment-${taken.deployment}. Choose another, or re-point it afterwards.`;
  throw new ConsoleError('alias_taken', text, 'alias');
}

/**
 * Gives a new deployment its alias. Where that fails, it says so: the deployment is there.
 * @param override why its adapter is served although it did not pass its gate
 */
export async function pointAlias(alias: string, deployment: DeploymentView['id'], override?: string): Promise<void> {
  if (alias === '') return;
  await call('aliases/point', { alias, deployment, from: null, ...(override && { override }) }).catch((error: unknown) => {
    announce(`The deployment was created, but not its alias: ${messageOf(error)}`, 'bad');
  });
}
