import { type AgentHeartbeat, type AgentLoad, type DeploymentId, engineKindOf } from '@slipway/contracts';
import { type Failure, Failures } from './failures.js';
import { AssignedUnits } from './assigned-units.js';
import { observe, type Observation, type RevisionEvidence } from './observe.js';
import { place, type PlacementResult, roomFor, type Shortage, wantedReplicas } from './place.js';
import { type Revision, type Target, unitsOf } from './target.js';
import { type Assignments, type LiveAgent, loadOf, loadsOf, type Unit, type UnitKey, unitKey } from './unit.js';

/** Result of one round. */
export interface Round {
  readonly assignments: Assignments;
  /** What was placed. */
  readonly units: readonly Unit[];
  readonly observations: ReadonlyMap<DeploymentId, Observation>;
  /** The agents of the round, with only those loads that were assigned to them. */
  readonly agents: readonly LiveAgent[];
  readonly shortages: ReadonlyMap<UnitKey, Shortage>;
  /** Number of agents that could take a further replica of a unit now. */
  readonly room: (unit: Unit) => number;
  /** The latest failure of a unit that has not been stable since, and how often in a row it failed. */
  readonly failure: (unit: Pick<Unit, 'dep' | 'rev'>) => (Failure & { readonly rounds: number }) | null;
}

/** What one placer keeps between rounds: assignments, failures and shortages. Synchronous, without I/O. */
export class PlacementState {
  readonly #failures = new Failures();
  readonly #assigned = new AssignedUnits();
  #isNew = true;
  #assignments: Assignments = new Map();
  #shortages: ReadonlyMap<UnitKey, Shortage> = new Map();

  /** @param clear true if agents without a key get secrets unsealed */
  constructor(private readonly clear: boolean) {}

  /**
   * Places all targets on the reported agents and derives the observed states. The first round adopts the assignments in the
   * stored states.
   * @param reported all live agents
   */
  round(targets: readonly Target[], reported: readonly LiveAgent[], now: number): Round {
    if (this.#isNew) this.#assigned.restore(targets, reported, now);
    this.#isNew = false;
    const agents = this.#assigned.trusted(reported);
    const units = targets.flatMap((target) =>
      unitsOf(target, {
        ready: agents.filter((agent) => loadOf(agent, target)?.state === 'ready').length,
        hasNoRoom: this.#shortages.get(unitKey(target))?.reason === 'no_capacity',
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
    this.#assigned.record(placement.assignments, agents, now);
    const observations = new Map(targets.map((target) => [target.dep, this.#observe(target, agents, placement)]));
    const { assignments, shortages } = placement;
    const room = (unit: Unit): number =>
      roomFor(unit, { units, agents, assignments }).filter(
        ({ agent: { wk }, obstacle }) =>
          obstacle === null && !assignments.get(wk)?.has(unitKey(unit)) && this.#failures.mayTry(unitKey(unit), wk, now),
      ).length;
    return { assignments, units, observations, agents, shortages, room, failure: (unit) => this.#failureOf(unitKey(unit)) };
  }

  #failureOf(key: UnitKey): (Failure & { rounds: number }) | null {
    const last = this.#failures.last(key);
    return last && { ...last, rounds: this.#failures.rounds(key) };
  }

  #observe(target: Target, agents: readonly AgentHeartbeat[], placement: PlacementResult): Observation {
    const newest = target.revisions.find(({ rev }) => rev === target.rev);
    const engine = newest ? engineKindOf(newest.source) : '';
    const runs = runnersOf(target, agents, placement.assignments);
    return observe({
      desired: target.desired,
      serving: target.serving,
      replicas: wantedReplicas(
        { engine, replicas: target.replicas, secret: !this.clear && isSecret(newest), adapter: (newest?.adapter ?? null) !== null },
        agents,
      ),
      ...(target.range && { least: target.range.min }),
      agents: runs.every(({ agent }) => agent.assigned !== undefined) ? runs.map(({ agent }) => agent.wk) : null,
      loads: runs.flatMap(({ loads }) => loads),
      newest: this.#evidence(target, target.rev, placement),
      older: target.serving === null || target.serving === target.rev ? null : this.#evidence(target, target.serving, placement),
    });
  }

  #evidence({ dep, revisions }: Target, rev: number, { assignments, shortages }: PlacementResult): RevisionEvidence {
    const key = unitKey({ dep, rev });
    return {
      rev,
      assigned: [...assignments.values()].filter((keys) => keys.has(key)).length,
      shortage: shortages.get(key) ?? null,
      failure: faultOf(revisions, rev) ?? this.#failures.last(key),
    };
  }
}

/** An agent with its loads of one deployment. */
interface Runner {
  readonly agent: AgentHeartbeat;
  readonly loads: readonly AgentLoad[];
}

/** The agents that a deployment is assigned to, each with its loads of it; for a stopped deployment, the agents that still have loads. */
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
