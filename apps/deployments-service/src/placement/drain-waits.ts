import { type AgentLoad, type Incarnation, type ReplicaLeft, REPLICAS_LEFT_MAX } from '@slipway/contracts';
import type { Round } from './placement-state.js';
import { type LiveAgent, loadOf, unitKey } from './unit.js';

/** What the replicas of one drained agent wait for. */
export interface DrainWait {
  readonly wk: Incarnation;
  readonly left: readonly ReplicaLeft[];
}

/** All is told again after this long, in milliseconds: what was told may not have been stored, or its drain was repeated meanwhile. */
const REPEAT_MS = 10_000;

/** Finds out why replicas are still on drained agents, and what of that is new. One term of a placer has one. */
export class DrainWaits {
  /** As JSON, by agent. */
  readonly #told = new Map<Incarnation, string>();
  #allToldAt = Number.NEGATIVE_INFINITY;

  /** The drained agents of a round whose replicas wait for something else than at the last call; all of them every 10 s. */
  changes(round: Round, now: number): DrainWait[] {
    if (now - this.#allToldAt >= REPEAT_MS) {
      this.#told.clear();
      this.#allToldAt = now;
    }
    const waits = round.agents.filter(({ drained }) => drained).map((agent) => ({ wk: agent.wk, left: replicasLeft(agent, round) }));
    const changed = waits.filter(({ wk, left }) => JSON.stringify(left) !== this.#told.get(wk));
    this.#told.clear();
    for (const { wk, left } of waits) this.#told.set(wk, JSON.stringify(left));
    return changed;
  }
}

function replicasLeft(agent: LiveAgent, round: Round): ReplicaLeft[] {
  const loads = agent.loads.toSorted((a, b) => a.dep - b.dep || a.rev - b.rev).slice(0, REPLICAS_LEFT_MAX);
  return loads.map((load) => ({ dep: load.dep, rev: load.rev, ...reasonOf(load, agent, round) }));
}

type Reason = Pick<ReplicaLeft, 'reason' | 'detail'>;

function reasonOf(load: AgentLoad, { wk }: LiveAgent, { assignments, shortages, agents, failure }: Round): Reason {
  const key = unitKey(load);
  if (!assignments.get(wk)?.has(key)) return { reason: 'ending', detail: `It gets no new request; ${underWay(load.requests)} under way.` };
  const shortage = shortages.get(key);
  if (shortage) return shortage;
  const others = agents.filter((agent) => !agent.draining && assignments.get(agent.wk)?.has(key));
  const loader = others.find((agent) => loadOf(agent, load)?.state !== 'ready');
  if (loader) return { reason: 'loading', detail: loadingOn(loader, loadOf(loader, load)?.progress ?? null) };
  const failed = failure(load);
  if (!failed) return { reason: 'loading', detail: 'Another worker is about to load it.' };
  const cause = failed.detail ?? `The reason is ${failed.reason}.`;
  return { reason: 'failed', detail: `Other workers tried to load it ${times(failed.rounds)} and failed. ${cause}`.slice(0, 500) };
}

const loadingOn = ({ wk }: LiveAgent, progress: number | null): string =>
  progress === null ? `Worker ${wk} loads it.` : `Worker ${wk} loads it: ${Math.floor(progress * 100)} %.`;

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`);

/** Older agents do not count requests. */
function underWay(requests: number | undefined): string {
  if (requests === undefined) return 'those that run are';
  return requests === 1 ? '1 request is' : `${requests} requests are`;
}
