import { type AgentHeartbeat, type AgentLoad, type DeploymentId, engineKindOf } from '@slipway/contracts';
import { type Failure, Failures } from './failures.js';
import { GivenUnits } from './given-units.js';
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
  readonly #given = new GivenUnits();
  #isNew = true;
  #assignments: Assignments = new Map();
  #shortages: ReadonlyMap<UnitKey, Shortage> = new Map();

  /** @param clear true where agents without a key get secrets in clear. */
  constructor(private readonly clear: boolean) {}

  /** Decides again. Agents that are not named are gone. The first round adopts what the stored state says that agents were given. */
  round(targets: readonly Target[], heard: readonly AgentHeartbeat[], now: number): Round {
    if (this.#isNew) this.#given.restore(targets, heard, now);
    this.#isNew = false;
    const agents = this.#given.believed(heard);
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
    this.#given.note(placement.assignments, agents, now);
    const observations = new Map(targets.map((target) => [target.dep, this.#observe(target, agents, placement)]));
    return { assignments: placement.assignments, observations };
  }

  #observe(target: Target, agents: readonly AgentHeartbeat[], placement: Placement): Observation {
    const newest = target.revisions.find(({ rev }) => rev === target.rev);
    const engine = newest ? engineKindOf(newest.source) : '';
    const runs = runnersOf(target, agents, placement.assignments);
    return observe({
      desired: target.desired,
      serving: target.serving,
      replicas: wantedReplicas({ engine, replicas: target.replicas, secret: !this.clear && isSecret(newest) }, agents),
      agents: runs.every(({ agent }) => agent.assigned !== undefined) ? runs.map(({ agent }) => agent.wk) : null,
      loads: runs.flatMap(({ loads }) => loads),
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

interface Runner {
  readonly agent: AgentHeartbeat;
  readonly loads: readonly AgentLoad[];
}

/** The agents that a deployment is assigned to, each with its loads of that; of a stopped one, those that still have something of it. */
function runnersOf({ dep, desired, revisions }: Target, agents: readonly AgentHeartbeat[], assignments: Assignments): Runner[] {
  if (desired === 'stopped') return agents.map((agent) => ({ agent, loads: loadsOf(agent, dep) })).filter(({ loads }) => loads.length > 0);
  const keys = revisions.map(({ rev }) => unitKey({ dep, rev }));
  return agents.flatMap((agent) => {
    const assigned = assignments.get(agent.wk);
    if (!keys.some((key) => assigned?.has(key))) return [];
    return [{ agent, loads: loadsOf(agent, dep).filter((load) => assigned?.has(unitKey(load))) }];
  });
}

const isSecret = (revision: Revision | undefined): boolean => (revision?.credential ?? null) !== null;

const faultOf = (revisions: readonly Revision[], rev: number): Failure | null =>
  revisions.find((revision) => revision.rev === rev)?.fault ?? null;
