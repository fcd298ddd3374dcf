import { engineFacts, type Incarnation } from '@slipway/contracts';
import { MemoryLedger } from './memory-ledger.js';
import { type Agent, type Assignments, loadOf, type Unit, type UnitKey, unitKey } from './unit.js';

/** Why a unit runs on fewer agents than wanted. */
export interface Shortage {
  readonly reason: 'no_worker' | 'no_capacity';
  readonly detail: string;
}

export interface PlacementInput {
  /** In order of precedence: earlier ones get scarce room first. */
  readonly units: readonly Unit[];
  /** Agents heard of lately. */
  readonly agents: readonly Agent[];
  /** What was assigned last. */
  readonly previous: Assignments;
  /** False while a failure keeps a unit from being started on an agent. */
  readonly mayTry: (unit: Unit, wk: Incarnation) => boolean;
  /** True for a unit that stays where it failed: its agent waits for another file. */
  readonly staysFailed: (unit: Unit) => boolean;
}

export interface Placement {
  readonly assignments: Assignments;
  readonly shortages: ReadonlyMap<UnitKey, Shortage>;
}

/** The state of one run of `place`. */
interface Draft {
  readonly input: PlacementInput;
  readonly memory: MemoryLedger;
  readonly assigned: ReadonlyMap<Incarnation, Set<UnitKey>>;
}

/**
 * Decides which agent runs what. Nothing that runs or loads is moved; what is missing goes to
 * agents with room, apart from its other replicas, first where its file is cached, then where least runs.
 */
export function place(input: PlacementInput): Placement {
  const draft: Draft = {
    input,
    memory: new MemoryLedger(input.agents),
    assigned: new Map(input.agents.map((agent) => [agent.wk, new Set<UnitKey>()])),
  };
  // All keep what they have before anybody gets more: otherwise a newcomer could take room that is in use.
  for (const unit of input.units) keepRunning(draft, unit);
  const shortages = new Map<UnitKey, Shortage>();
  for (const unit of input.units) {
    const shortage = placeMissing(draft, unit);
    if (shortage) shortages.set(unitKey(unit), shortage);
  }
  return { assignments: draft.assigned, shortages };
}

type Demands = Pick<Unit, 'engine' | 'secret'>;

const fit = (agent: Agent, { engine, secret }: Demands): boolean =>
  !agent.draining && agent.engines.includes(engine) && (!secret || agent.key !== undefined);

/** Replicas that are wanted of a unit: of an engine that scales by itself no more than there are agents that run it. */
export function wantedReplicas(unit: Pick<Unit, 'engine' | 'replicas' | 'secret'>, agents: readonly Agent[]): number {
  if (engineFacts(unit.engine)?.scalesItself !== true || unit.replicas === 0) return unit.replicas;
  return Math.max(1, Math.min(unit.replicas, agents.filter((agent) => fit(agent, unit)).length));
}

function keepRunning(draft: Draft, unit: Unit): void {
  const { agents } = draft.input;
  const held = agents.filter((agent) => holdRank(agent, unit, draft.input) !== null);
  // A draining agent ends by itself what it still runs; it is not told to stop sooner, nor counted.
  for (const agent of held.filter((a) => a.draining)) assign(draft, unit, agent);
  const rank = (agent: Agent): number => holdRank(agent, unit, draft.input) ?? Infinity;
  const kept = held.filter((agent) => fit(agent, unit)).sort((a, b) => rank(a) - rank(b) || compareNames(a, b));
  for (const agent of kept.slice(0, unit.kept ?? wantedReplicas(unit, agents))) assign(draft, unit, agent);
}

/** How much would be lost by taking the unit from the agent (lowest = most); null when it has nothing of it. */
function holdRank(agent: Agent, unit: Unit, { previous, staysFailed }: PlacementInput): number | null {
  const state = loadOf(agent, unit)?.state;
  const before = previous.get(agent.wk)?.has(unitKey(unit)) ?? false;
  if (state === 'ready') return before ? 0 : 1;
  if (state === 'loading') return before ? 2 : 3;
  if (state === 'failed') return staysFailed(unit) ? 5 : null;
  return before && state === undefined ? 4 : null;
}

function assign({ assigned, memory }: Draft, unit: Unit, agent: Agent): void {
  assigned.get(agent.wk)?.add(unitKey(unit));
  memory.take(agent, unit);
}

function placeMissing(draft: Draft, unit: Unit): Shortage | null {
  if (unit.replicas === 0) return null;
  const capable = draft.input.agents.filter((agent) => fit(agent, unit));
  if (capable.length === 0) return { reason: 'no_worker', detail: nobodyFor(draft, unit) };
  const wanted = wantedReplicas(unit, capable);
  for (let has = runningOn(draft, unit).length; has < wanted; has += 1) {
    const free = capable.filter((agent) => !draft.assigned.get(agent.wk)?.has(unitKey(unit)));
    const allowed = free.filter((agent) => draft.input.mayTry(unit, agent.wk));
    // Only failures keep it from the agents left: they are the reason to tell, not a lack of room.
    if (allowed.length === 0 && free.length > 0) return null;
    const chosen = best(draft, unit, allowed);
    if (!chosen) return { reason: 'no_capacity', detail: lackOf(draft, unit, allowed) };
    assign(draft, unit, chosen);
  }
  return null;
}

const runningOn = ({ input, assigned }: Draft, unit: Unit): Agent[] =>
  input.agents.filter((agent) => !agent.draining && assigned.get(agent.wk)?.has(unitKey(unit)));

function best(draft: Draft, unit: Unit, candidates: readonly Agent[]): Agent | undefined {
  const siblings = runningOn(draft, unit);
  const cost = (agent: Agent): number[] => [
    siblings.some((other) => other.host === agent.host) ? 1 : 0,
    agent.zone !== null && siblings.some((other) => other.zone === agent.zone) ? 1 : 0,
    unit.download !== null && !agent.cached.includes(unit.download) ? 1 : 0,
    draft.assigned.get(agent.wk)?.size ?? 0,
    -draft.memory.free(agent),
  ];
  const withRoom = candidates.filter((agent) => draft.memory.free(agent) >= unit.bytes);
  return withRoom.sort((a, b) => compareCosts(cost(a), cost(b)) || compareNames(a, b))[0];
}

const compareNames = (a: Agent, b: Agent): number => (a.wk < b.wk ? -1 : 1);

function compareCosts(a: readonly number[], b: readonly number[]): number {
  const first = a.findIndex((value, index) => value !== b[index]);
  return first === -1 ? 0 : (a[first] ?? 0) - (b[first] ?? 0);
}

function nobodyFor({ input }: Draft, unit: Unit): string {
  const onlyOld = unit.secret && input.agents.some((agent) => fit(agent, { engine: unit.engine, secret: false }));
  return onlyOld
    ? 'No worker is connected that takes sealed credentials: the workers are older than deployments-service.'
    : 'No worker is connected that runs this kind of engine.';
}

const gibibytes = (bytes: number): string => `${(Math.max(0, bytes) / 2 ** 30).toFixed(1)} GiB`;

function lackOf({ memory }: Draft, unit: Unit, candidates: readonly Agent[]): string {
  if (candidates.length === 0) return 'There are more replicas than workers; a worker runs one replica at most.';
  const most = Math.max(...candidates.map((agent) => memory.free(agent)));
  return `A replica needs about ${gibibytes(unit.bytes)} of memory; the most that a worker has free is ${gibibytes(most)}.`;
}
