import { ADAPTER_EXPORT_FEATURE, type AgentHeartbeat, engineFacts, type Incarnation } from '@slipway/contracts';
import { type Agent, type Assignments, loadOf, type Unit, type UnitKey, unitKey } from './unit.js';

/** Why a unit is assigned to fewer agents than wanted. */
export interface Shortage {
  readonly reason: 'no_worker' | 'no_capacity';
  readonly detail: string;
}

/** Input of `place`. */
export interface PlacementInput {
  /** In order of priority: earlier units get scarce memory first. */
  readonly units: readonly Unit[];
  /** All live agents. */
  readonly agents: readonly Agent[];
  /** Assignments of the last round. */
  readonly previous: Assignments;
  /** False while a failure prevents a start of the unit on the agent. */
  readonly mayTry: (unit: Unit, wk: Incarnation) => boolean;
  /** True for a unit that stays assigned where it failed, because its agent waits for another file. */
  readonly staysFailed: (unit: Unit) => boolean;
}

/** Result of `place`. */
export interface PlacementResult {
  readonly assignments: Assignments;
  readonly shortages: ReadonlyMap<UnitKey, Shortage>;
}

/** State of one call of `place`. */
interface Draft {
  readonly input: PlacementInput;
  readonly memory: FreeMemory;
  readonly assigned: ReadonlyMap<Incarnation, Set<UnitKey>>;
}

/**
 * Assigns units to agents. What runs or loads is not moved. A missing replica goes to an agent with enough memory, preferably on
 * another host and zone than its siblings, then where its file is cached or its adapter's base is loaded, then where the fewest
 * units are assigned.
 */
export function place(input: PlacementInput): PlacementResult {
  const draft: Draft = {
    input,
    memory: new FreeMemory(input.agents),
    assigned: new Map(input.agents.map((agent) => [agent.wk, new Set<UnitKey>()])),
  };
  // Units first keep what runs; otherwise a new unit could take memory that is in use.
  for (const unit of input.units) keepRunning(draft, unit);
  const shortages = new Map<UnitKey, Shortage>();
  for (const unit of input.units) {
    const shortage = placeMissing(draft, unit);
    if (shortage) shortages.set(unitKey(unit), shortage);
  }
  return { assignments: draft.assigned, shortages };
}

type Demands = Pick<Unit, 'engine' | 'secret' | 'adapter'>;

/** The feature that an agent needs for an adapter on this engine; null = no agent has it. */
const adapterFeatureOf = (engine: string): string | null => engineFacts(engine)?.adapters ?? null;

const hasFeature = ({ features = [] }: Agent, feature: string | null): boolean => feature !== null && features.includes(feature);

const fit = (agent: Agent, { engine, secret, adapter }: Demands): boolean =>
  !agent.draining &&
  agent.engines.includes(engine) &&
  (!secret || agent.key !== undefined) &&
  (!adapter || hasFeature(agent, adapterFeatureOf(engine)));

/** Wanted replicas of a unit; for an engine that scales by itself, at most the number of agents that can run it. */
export function wantedReplicas(unit: Demands & Pick<Unit, 'replicas'>, agents: readonly Agent[]): number {
  if (engineFacts(unit.engine)?.scalesItself !== true || unit.replicas === 0) return unit.replicas;
  return Math.max(1, Math.min(unit.replicas, agents.filter((agent) => fit(agent, unit)).length));
}

function keepRunning(draft: Draft, unit: Unit): void {
  const { agents } = draft.input;
  const holders = agents.filter((agent) => keepRank(agent, unit, draft.input) !== null);
  // A draining agent ends its loads by itself: they stay assigned, but do not count as replicas.
  for (const agent of holders.filter((a) => a.draining && !a.drained)) assign(draft, unit, agent);
  const rank = (agent: Agent): number => keepRank(agent, unit, draft.input) ?? Infinity;
  // Of replicas that are alike, the one with the fewest requests leaves.
  const requests = (agent: Agent): number => loadOf(agent, unit)?.requests ?? 0;
  const order = (a: Agent, b: Agent): number => rank(a) - rank(b) || requests(b) - requests(a) || compareNames(a, b);
  const inOrder = holders.toSorted(order);
  const kept = inOrder.filter((agent) => fit(agent, unit)).slice(0, unit.kept ?? wantedReplicas(unit, agents));
  for (const agent of kept) assign(draft, unit, agent);
  for (const agent of bridging(inOrder, unit, draft)) assign(draft, unit, agent);
}

/** The drained agents that keep a unit, one for each replica that is not ready elsewhere. They do not count as replicas. */
function bridging(holders: readonly Agent[], unit: Unit, { input }: Draft): Agent[] {
  const drained = holders.filter((agent) => agent.drained);
  // A unit without wanted replicas ends by itself, once no request is under way to it.
  if (unit.replicas === 0) return drained;
  const isReady = (agent: Agent): boolean => loadOf(agent, unit)?.state === 'ready';
  const missing = wantedReplicas(unit, input.agents) - holders.filter((agent) => fit(agent, unit) && isReady(agent)).length;
  return drained.filter(isReady).slice(0, Math.max(0, missing));
}

/** Rank of an agent for keeping a unit, 0 = keep first; null when it has no load of it. */
function keepRank(agent: Agent, unit: Unit, { previous, staysFailed }: PlacementInput): number | null {
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
  if (capable.length === 0) return { reason: 'no_worker', detail: noWorkerDetail(draft, unit) };
  const wanted = wantedReplicas(unit, capable);
  for (let has = runningOn(draft, unit).length; has < wanted; has += 1) {
    const free = capable.filter((agent) => !draft.assigned.get(agent.wk)?.has(unitKey(unit)));
    const allowed = free.filter((agent) => draft.input.mayTry(unit, agent.wk));
    // Only failures exclude the remaining agents: the failure is the reason to report, not a shortage.
    if (allowed.length === 0 && free.length > 0) return null;
    const chosen = best(draft, unit, allowed);
    if (!chosen) return { reason: 'no_capacity', detail: noCapacityDetail(draft, unit, allowed) };
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
    unit.adapter && !draft.memory.isMapped(agent, unit) ? 1 : 0,
    draft.assigned.get(agent.wk)?.size ?? 0,
    -draft.memory.free(agent),
  ];
  const withRoom = candidates.filter((agent) => draft.memory.hasRoom(agent, unit));
  return withRoom.sort((a, b) => compareCosts(cost(a), cost(b)) || compareNames(a, b))[0];
}

const compareNames = (a: Agent, b: Agent): number => (a.wk < b.wk ? -1 : 1);

function compareCosts(a: readonly number[], b: readonly number[]): number {
  const first = a.findIndex((value, index) => value !== b[index]);
  return first === -1 ? 0 : (a[first] ?? 0) - (b[first] ?? 0);
}

/** Why no worker takes a unit's adapter, or one worker does not. */
const LACKS = {
  all: {
    exports: 'No connected worker hands adapters to HTTP engines: none has the setting ADAPTER_EXPORT_DIR.',
    loads: 'No connected worker loads adapters: the workers are older than deployments-service.',
  },
  one: {
    exports: 'This worker hands no adapters to HTTP engines: it lacks the setting ADAPTER_EXPORT_DIR.',
    loads: 'This worker loads no adapters: it is older than deployments-service.',
  },
} as const;

function lacksAdapters({ engine }: Demands, words: { readonly exports: string; readonly loads: string }): string {
  const feature = adapterFeatureOf(engine);
  if (feature === null) return 'This kind of engine takes no adapters.';
  return feature === ADAPTER_EXPORT_FEATURE ? words.exports : words.loads;
}

function noWorkerDetail({ input }: Draft, unit: Unit): string {
  const isOld = (demands: Demands): boolean => input.agents.some((agent) => fit(agent, demands));
  const isDrained = input.agents.some((agent) => agent.drained && fit({ ...agent, draining: false }, unit));
  if (isDrained) return 'Every worker that could run it is being drained.';
  if (unit.adapter && isOld({ ...unit, adapter: false })) return lacksAdapters(unit, LACKS.all);
  return unit.secret && isOld({ ...unit, secret: false })
    ? 'No connected worker accepts sealed credentials: the workers are older than deployments-service.'
    : 'No connected worker runs this kind of engine.';
}

const gibibytes = (bytes: number): string => `${(Math.max(0, bytes) / 2 ** 30).toFixed(1)} GiB`;

function noCapacityDetail({ memory }: Draft, unit: Unit, candidates: readonly Agent[]): string {
  if (candidates.length === 0) return 'There are more replicas than workers; a worker runs one replica at most.';
  const most = Math.max(...candidates.map((agent) => memory.free(agent)));
  return `A replica needs about ${gibibytes(unit.bytes)} of memory; the most that a worker has free is ${gibibytes(most)}.`;
}

/** Why a unit cannot be placed on an agent. `unable` = whatever the agent's memory is. */
export interface Obstacle {
  readonly reason: 'unable' | 'no_room';
  readonly detail: string;
}

/** Room for one more unit on one agent. */
export interface Room<A extends Agent = AgentHeartbeat> {
  readonly agent: A;
  /** Memory left once everything assigned is loaded, in bytes. */
  readonly free: number;
  /** Null = the unit fits. */
  readonly obstacle: Obstacle | null;
}

/** What is assigned, as `place` returned it. */
export interface Placed<A extends Agent> {
  readonly units: readonly Unit[];
  readonly agents: readonly A[];
  readonly assignments: Assignments;
}

/** Where one more unit would have room beside everything that is assigned, by the rules of `place`. */
export function roomFor<A extends Agent>(unit: Demands & Need, { units, agents, assignments }: Placed<A>): Room<A>[] {
  const memory = new FreeMemory(agents);
  for (const agent of agents) {
    const assigned = assignments.get(agent.wk);
    for (const other of units) if (assigned?.has(unitKey(other))) memory.take(agent, other);
  }
  return agents.map((agent) => ({ agent, free: Math.max(0, Math.floor(memory.free(agent))), obstacle: obstacleOn(agent, unit, memory) }));
}

function obstacleOn(agent: Agent, unit: Demands & Need, memory: FreeMemory): Obstacle | null {
  if (!fit(agent, unit)) {
    const runsIt = agent.engines.includes(unit.engine);
    if (!runsIt) return { reason: 'unable', detail: 'This worker does not run this kind of engine.' };
    if (agent.drained) return { reason: 'unable', detail: 'This worker is being drained.' };
    if (agent.draining) return { reason: 'unable', detail: 'This worker is being stopped.' };
    const isOnlyOld = unit.adapter && fit(agent, { ...unit, adapter: false });
    if (isOnlyOld) return { reason: 'unable', detail: lacksAdapters(unit, LACKS.one) };
    return { reason: 'unable', detail: 'This worker is too old for this deployment.' };
  }
  if (memory.hasRoom(agent, unit)) return null;
  const [needed, free] = [gibibytes(unit.bytes), gibibytes(memory.free(agent))];
  return { reason: 'no_room', detail: `A replica needs about ${needed} of memory; this worker has ${free} free.` };
}

type Need = Pick<Unit, 'bytes' | 'mapped' | 'file'>;

/**
 * Free memory of each agent during one call of `place`. The heartbeats count ready models; this class subtracts units that are
 * not loaded yet and those of other agents on the same host. A file that several units of a host map counts once.
 */
class FreeMemory {
  readonly #free: Map<Incarnation, number>;
  /** Files that taken units map, by host. */
  readonly #mapped = new Map<string, Set<string>>();

  constructor(private readonly agents: readonly Agent[]) {
    this.#free = new Map(agents.map((agent) => [agent.wk, agent.mem_free]));
  }

  free(agent: Agent): number {
    return this.#free.get(agent.wk) ?? 0;
  }

  /** True if a taken unit maps the same file on the agent's host. */
  isMapped({ host }: Agent, { file }: Pick<Unit, 'file'>): boolean {
    return file !== null && this.#mapped.get(host)?.has(file) === true;
  }

  hasRoom(agent: Agent, unit: Need): boolean {
    return this.free(agent) >= unit.bytes - (this.isMapped(agent, unit) ? unit.mapped : 0);
  }

  /** Subtracts a unit that is or will be loaded on the agent. */
  take(agent: Agent, unit: Unit): void {
    const ready = loadOf(agent, unit)?.state === 'ready';
    const mapped = this.isMapped(agent, unit) ? 0 : unit.mapped;
    const bytes = unit.bytes - unit.mapped + mapped;
    this.#subtract(agent, ready ? 0 : bytes);
    for (const other of this.agents) {
      // The kernel reports a loaded model's mapped file as available memory to all other agents of the host.
      if (other.wk !== agent.wk && other.host === agent.host) this.#subtract(other, ready ? mapped : bytes);
    }
    if (unit.file === null) return;
    const files = this.#mapped.get(agent.host) ?? new Set();
    this.#mapped.set(agent.host, files.add(unit.file));
  }

  #subtract(agent: Agent, bytes: number): void {
    this.#free.set(agent.wk, this.free(agent) - bytes);
  }
}
