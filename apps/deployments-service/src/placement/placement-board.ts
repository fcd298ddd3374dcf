import type { AgentHeartbeat, DeploymentId } from '@slipway/contracts';
import { type Failure, Failures } from './failures.js';
import { observe, type Observation, type RevisionEvidence } from './observe.js';
import { place, type Placement, type Shortage, wantedReplicas } from './place.js';
import type { Revision, Target } from './target.js';
import { type Assignments, loadOf, loadsOf, type UnitKey, unitKey } from './unit.js';
import { unitsOf } from './units-of.js';

export interface Round {
  readonly assignments: Assignments;
  readonly observations: ReadonlyMap<DeploymentId, Observation>;
}

/** Where one placer keeps what it decided. Nothing in here waits for anything. */
export class PlacementBoard {
  readonly #failures = new Failures();
  #assignments: Assignments = new Map();
  #shortages: ReadonlyMap<UnitKey, Shortage> = new Map();

  /** @param clear true where agents without a key get secrets in clear. */
  constructor(private readonly clear: boolean) {}

  /** Decides again. Agents that are not named are gone. */
  round(targets: readonly Target[], agents: readonly AgentHeartbeat[], now: number): Round {
    const units = targets.flatMap((target) =>
      unitsOf(target, {
        ready: agents.filter((agent) => loadOf(agent, target)?.state === 'ready').length,
        cramped: this.#shortages.get(unitKey(target))?.reason === 'no_capacity',
        clear: this.clear,
      }),
    );
    this.#failures.observe(units, agents, now);
    const placement = place({
      units,
      agents,
      previous: this.#assignments,
      mayTry: (unit, wk) => this.#failures.mayTry(unitKey(unit), wk, now),
      staysFailed: (unit) => this.#failures.isPermanent(unitKey(unit)),
    });
    this.#assignments = placement.assignments;
    this.#shortages = placement.shortages;
    const observations = new Map(targets.map((target) => [target.dep, this.#observe(target, agents, placement)]));
    return { assignments: placement.assignments, observations };
  }

  #observe(target: Target, agents: readonly AgentHeartbeat[], placement: Placement): Observation {
    const newest = target.revisions.find(({ rev }) => rev === target.rev);
    const engine = newest?.source.kind === 'http' ? 'http' : 'llama';
    return observe({
      desired: target.desired,
      serving: target.serving,
      replicas: wantedReplicas({ engine, replicas: target.replicas, secret: !this.clear && isSecret(newest) }, agents),
      agents: namesOf(target, agents, placement.assignments),
      loads: agents.flatMap((agent) => loadsOf(agent, target.dep)),
      newest: this.#evidence(target, target.rev, placement),
      older: target.serving === null || target.serving === target.rev ? null : this.#evidence(target, target.serving, placement),
    });
  }

  #evidence({ dep, revisions }: Target, rev: number, { assignments, shortages }: Placement): RevisionEvidence {
    const key = unitKey({ dep, rev });
    return {
      rev,
      assigned: [...assignments.values()].filter((keys) => keys.has(key)).length,
      shortage: shortages.get(key) ?? null,
      failure: faultOf(revisions, rev) ?? this.#failures.last(key),
    };
  }
}

/** The agents that a deployment is assigned to; null where the runners of one of them do not bear its name. */
function namesOf({ dep, revisions }: Target, agents: readonly AgentHeartbeat[], assignments: Assignments): string[] | null {
  const keys = revisions.map(({ rev }) => unitKey({ dep, rev }));
  const assigned = agents.filter(({ wk }) => keys.some((key) => assignments.get(wk)?.has(key)));
  return assigned.every((agent) => agent.assigned !== undefined) ? assigned.map(({ wk }) => wk) : null;
}

const isSecret = (revision: Revision | undefined): boolean => (revision?.credential ?? null) !== null;

const faultOf = (revisions: readonly Revision[], rev: number): Failure | null =>
  revisions.find((revision) => revision.rev === rev)?.fault ?? null;
