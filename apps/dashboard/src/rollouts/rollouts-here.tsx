import type { DeploymentView, RolloutView } from '@slipway/contracts';
import { type JSX, lazy, Suspense } from 'react';
import { useCall } from '../api/use-call.js';
import { Skeleton } from '../ui/skeleton.js';

const RolloutPanel = lazy(async () => ({ default: (await import('./rollout-panel.js')).RolloutPanel }));

/** How often rollouts are asked for, in milliseconds: while one runs, and else. */
const RUNNING_EVERY_MS = 5_000;
const REST_EVERY_MS = 30_000;

/** The rollouts that name a deployment on either side, the running ones first. */
function rolloutsOf(all: readonly RolloutView[], id: DeploymentView['id']): readonly RolloutView[] {
  const here = all.filter(({ stable, candidate }) => stable === id || candidate === id);
  const rank = ({ state }: RolloutView): number => (state === 'running' ? 0 : 1);
  return here.toSorted((a, b) => rank(a) - rank(b) || b.id - a.id);
}

/** The newest rollouts of aliases that lead to a deployment, or are to lead to it. */
export function RolloutsHere({ deployment }: { readonly deployment: Pick<DeploymentView, 'id'> }): JSX.Element | null {
  const { data } = useCall(
    'rollouts/list',
    {},
    { every: (known) => (known?.rollouts.some(({ state }) => state === 'running') ? RUNNING_EVERY_MS : REST_EVERY_MS) },
  );
  const here = rolloutsOf(data?.rollouts ?? [], deployment.id);
  if (here.length === 0) return null;
  return (
    <Suspense fallback={<Skeleton shape="text" what="Rollouts" count={4} />}>
      {here.map((rollout) => (
        <RolloutPanel key={rollout.alias} rollout={rollout} here={deployment.id} />
      ))}
    </Suspense>
  );
}
