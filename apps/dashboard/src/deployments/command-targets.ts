import type { DeploymentView } from '@slipway/contracts';
import { plural } from '../format/number.js';
import { actionsOf, type DeploymentAction } from './deployment-actions.js';

/** A command that others notice, before it is given. */
export interface Asked {
  readonly command: 'stop' | 'delete';
  readonly deployments: readonly DeploymentView[];
  /** Runs once it is done. */
  readonly onDone?: (() => void) | undefined;
}

/** Those of the deployments that can take a command as they are now. */
export const ableTo = (deployments: readonly DeploymentView[], ...actions: readonly DeploymentAction[]): readonly DeploymentView[] =>
  deployments.filter((one) => actionsOf(one).some((action) => actions.includes(action)));

/** What several deployments are called: the name of one, or their number. */
export const namesOf = (deployments: readonly Pick<DeploymentView, 'name'>[]): string =>
  deployments.length === 1 ? `“${deployments[0]?.name ?? ''}”` : plural(deployments.length, 'deployment');

/** Does the same with each, one after the other; the first failure ends it. */
export async function doEach(
  deployments: readonly DeploymentView[],
  act: (deployment: DeploymentView['id']) => Promise<unknown>,
): Promise<void> {
  for (const { id } of deployments) await act(id);
}
