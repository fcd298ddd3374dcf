import type { AgentHeartbeat, DeploymentId } from '@slipway/contracts';
import { Failures } from './failures.js';
import { observe, type Observation } from './observe.js';
import { place, type Placement, wantedReplicas } from './place.js';
import type { Target } from './target.js';
import { type Agent, type Assignments, type Unit, unitKey } from './unit.js';

export interface Round {
  readonly assignments: Assignments;
  readonly observations: ReadonlyMap<DeploymentId, Observation>;
}

/** Where one placer keeps what it decided. Nothing in here waits for anything. */
export class PlacementBoard {
  readonly #failures = new Failures();
  #assignments: Assignments = new Map();

  /** Decides again. Agents that are not named are gone. */
  round(targets: readonly Target[], agents: readonly AgentHeartbeat[], now: number): Round {
    const units = targets.filter((target) => target.desired === 'ready' && target.fault === null).map(unitOf);
    this.#failures.observe(units, agents, now);
    const placement = place({
      units,
      agents,
      previous: this.#assignments,
      mayTry: (unit, wk) => this.#failures.mayTry(unitKey(unit), wk, now),
    });
    this.#assignments = placement.assignments;
    const observations = new Map(targets.map((target) => [target.dep, this.#observe(target, agents, placement)]));
    return { assignments: placement.assignments, observations };
  }

  #observe(target: Target, agents: readonly Agent[], { assignments, shortages }: Placement): Observation {
    const key = unitKey(target);
    return observe({
      desired: target.desired,
      rev: target.rev,
      replicas: wantedReplicas(unitOf(target), agents),
      assigned: [...assignments.values()].filter((keys) => keys.has(key)).length,
      loads: agents.flatMap((agent) => agent.loads.filter((load) => load.dep === target.dep)),
      shortage: shortages.get(key) ?? null,
      failure: target.fault ?? this.#failures.last(key),
    });
  }
}

function unitOf({ dep, rev, replicas, bytes, mapped, source }: Target): Unit {
  return {
    dep,
    rev,
    replicas,
    engine: source.kind === 'http' ? 'http' : 'llama',
    bytes,
    mapped,
    download: source.kind === 'download' ? source.uri : null,
  };
}
