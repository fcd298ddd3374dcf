import type { ConsoleReply } from '@slipway/contracts';
import { DEFAULT_CONTEXT } from '@slipway/contracts/engines';

/** One deployment with all that is known of it. */
export type DeploymentDetails = ConsoleReply<'deployments/find'>;

/**
 * What the model was made for, in tokens, where a replica shows it: one that was asked for more serves no more than that. Null = the
 * replicas serve what they were asked for, which the model may exceed.
 */
export function seenContext({
  deployment,
  running,
  revisions,
}: Pick<DeploymentDetails, 'deployment' | 'running' | 'revisions'>): number | null {
  const asked = revisions.find(({ rev }) => rev === deployment.rev)?.context ?? DEFAULT_CONTEXT;
  const served = running.flatMap(({ rev, context }) => (rev === deployment.rev && context !== null ? [context] : []));
  const [least = asked] = served.toSorted((a, b) => a - b);
  return least < asked ? least : null;
}
