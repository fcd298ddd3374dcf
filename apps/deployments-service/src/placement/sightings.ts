import type { DeploymentId } from '@slipway/contracts';
import type { ChangeBudget } from '../change-budget.js';
import type { Observation } from './observe.js';
import type { Target, WrittenState } from './target.js';

/** What was seen of a deployment and is not written yet. */
export interface Sighting {
  readonly dep: DeploymentId;
  /** What it was seen of: a row that has moved on keeps its state. */
  readonly seenOf: Pick<Target, 'rev' | 'desired' | 'tries'>;
  readonly observation: Observation;
}

/** Which observations differ from what is written; changes that gateways would hear of are bounded by the budget. */
export function newSightings(
  targets: readonly Target[],
  observations: ReadonlyMap<DeploymentId, Observation>,
  budget: ChangeBudget,
  now: number,
): Sighting[] {
  budget.keepOnly(new Set(targets.map(({ dep }) => dep)));
  return targets.flatMap((target) => {
    const observation = observations.get(target.dep);
    if (!observation || !differs(target.written, observation)) return [];
    if (isHeard(target.written, observation) && !budget.take(target.dep, now)) return [];
    const { dep, rev, desired, tries } = target;
    return [{ dep, seenOf: { rev, desired, tries }, observation }];
  });
}

/** True for changes that the feed carries. What an engine can do stays known while it is away. */
export function isHeard(written: HeardState, { state, serving, caps, context, agents }: Observation): boolean {
  return (
    (agents?.join() ?? null) !== (written.agents?.join() ?? null) ||
    state !== written.state ||
    serving !== written.serving ||
    (caps !== null && caps.join() !== written.caps.join()) ||
    (context !== null && context !== written.context)
  );
}

type HeardState = Pick<WrittenState, 'state' | 'serving' | 'caps' | 'context' | 'agents'>;

function differs(written: WrittenState, observation: Observation): boolean {
  const { reason, detail, readyReplicas } = observation;
  return isHeard(written, observation) || reason !== written.reason || detail !== written.detail || readyReplicas !== written.readyReplicas;
}
