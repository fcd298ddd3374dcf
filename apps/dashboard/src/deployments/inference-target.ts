import type { DeploymentView } from '@slipway/contracts';
import type { InferenceTarget } from '../snippets/inference-snippets.js';

type Named = Pick<DeploymentView, 'id' | 'aliases'>;

export const slugOf = ({ id }: Pick<DeploymentView, 'id'>): string => `deployment-${id}`;

/** The number in a slug; null for anything else. */
export function idOf(slug: string): number | null {
  const digits = /^deployment-([1-9]\d{0,9})$/.exec(slug)?.[1];
  return digits === undefined ? null : Number(digits);
}

/** How clients reach a deployment: by an alias where it has one, which stays when the deployment is replaced. */
export function targetOf(
  gateway: string,
  account: string,
  deployment: Named,
  alias: string | null = deployment.aliases[0] ?? null,
): InferenceTarget {
  if (alias === null) return { gateway, path: slugOf(deployment), model: slugOf(deployment) };
  return { gateway, path: `${account}/${alias}`, model: alias };
}
