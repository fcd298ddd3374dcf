import type { DeploymentId } from '@slipway/contracts';
import type { ChangeBudget } from '@slipway/platform';
import type { Observation } from './observe.js';
import type { Target, WrittenState } from './target.js';

/** An observed state that differs from the stored one. */
export interface StateChange {
  readonly dep: DeploymentId;
  /** The row that the observation is about: it is written only while the row still has these values. */
  readonly basis: Pick<Target, 'rev' | 'desired' | 'tries'>;
  readonly observation: Observation;
}

/** The observations that differ from the stored states. Published changes above the budget are left out until a later round. */
export function stateChanges(
  targets: readonly Target[],
  observations: ReadonlyMap<DeploymentId, Observation>,
  budget: ChangeBudget,
  now: number,
): StateChange[] {
  budget.keepOnly(new Set(targets.map(({ dep }) => dep)));
  return targets.flatMap((target) => {
    const observation = observations.get(target.dep);
    if (!observation || !differs(target.written, observation)) return [];
    if (isPublished(target.written, observation) && !budget.take(target.dep, now)) return [];
    const { dep, rev, desired, tries } = target;
    return [{ dep, basis: { rev, desired, tries }, observation }];
  });
}

/** True for changes that the feed carries. Capabilities and context stay as stored while no replica is ready. */
export function isPublished(written: PublishedState, { state, serving, caps, context, agents }: Observation): boolean {
  return (
    (agents?.join() ?? null) !== (written.agents?.join() ?? null) ||
    state !== written.state ||
    serving !== written.serving ||
    (caps !== null && caps.join() !== written.caps.join()) ||
    (context !== null && context !== written.context)
  );
}

type PublishedState = Pick<WrittenState, 'state' | 'serving' | 'caps' | 'context' | 'agents'>;

function differs(written: WrittenState, observation: Observation): boolean {
  const { reason, detail, readyReplicas } = observation;
  return (
    isPublished(written, observation) || reason !== written.reason || detail !== written.detail || readyReplicas !== written.readyReplicas
  );
}
