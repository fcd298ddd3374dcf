import type { DeploymentView, ObservedState, StateReason } from '@slipway/contracts';

export type DeploymentAction = 'stop' | 'resume' | 'retry' | 'roll_back' | 'delete';

const BY_STATE: Readonly<Record<ObservedState, readonly DeploymentAction[]>> = {
  pending: ['stop'],
  loading: ['stop'],
  ready: ['stop'],
  degraded: ['retry', 'roll_back', 'stop'],
  stopping: [],
  stopped: ['resume', 'delete'],
  failed: ['retry', 'roll_back', 'stop', 'delete'],
  deleting: [],
};

type Facts = Pick<DeploymentView, 'state' | 'desired' | 'reason' | 'rev' | 'serving_rev'>;

/** Reasons of which another try changes nothing: it comes by itself as soon as there is room. */
const WAITS: ReadonlySet<StateReason | null> = new Set([null, 'no_worker', 'no_capacity']);

/** The revision that serves while a newer one cannot; null when there is none to go back to. */
export const rollbackRev = ({ rev, serving_rev: serving }: Pick<Facts, 'rev' | 'serving_rev'>): number | null =>
  serving != null && serving < rev ? serving : null;

/** What may be done with a deployment in its state, the likeliest first. */
export function actionsOf(facts: Facts): readonly DeploymentAction[] {
  return BY_STATE[facts.state].filter((action) => {
    if (action === 'roll_back') return rollbackRev(facts) !== null;
    if (action === 'retry') return facts.desired === 'ready' && !WAITS.has(facts.reason);
    if (action === 'stop') return facts.desired === 'ready';
    if (action === 'resume') return facts.desired === 'stopped';
    return true;
  });
}

const PASSING: ReadonlySet<ObservedState> = new Set(['pending', 'loading', 'stopping', 'deleting']);

/** True while the state changes by itself soon. */
export const isPassing = ({ state, rev, serving_rev: serving }: Facts): boolean =>
  PASSING.has(state) || (state === 'ready' && serving != null && serving < rev);

/** How soon to look again, in milliseconds. */
export const lookAgainAfter = (deployments: readonly Facts[]): number => (deployments.some(isPassing) ? 2_000 : 5_000);
