import { type AgentHeartbeat, DEFAULT_POOL } from '@slipway/contracts';
import type { Shortage } from '../placement/place.js';
import type { Round } from '../placement/placement-state.js';
import { type Unit, unitKey } from '../placement/unit.js';
import { assignedTo } from './autoscaler.js';

/** Workers of one pool, draining ones left out. */
export interface PoolFigures {
  readonly workers: number;
  /** Workers that hold a replica, or requests of one that leaves them. */
  readonly occupied: number;
  readonly memoryBytes: number;
  readonly memoryFreeBytes: number;
}

/** Replicas that are wanted and have no room. */
export interface Unplaced {
  /** The pool that would take them; `none` where no worker can. */
  readonly pool: string;
  readonly reason: Shortage['reason'];
  readonly replicas: number;
}

/** What pools have, and what is missing. */
export interface Figures {
  readonly pools: ReadonlyMap<string, PoolFigures>;
  readonly unplaced: readonly Unplaced[];
}

/** A worker names its pool itself: so many are told apart, and the rest is `other`. */
const POOLS_MAX = 100;

/** Unplaced replicas that no pool would take. */
export const NO_POOL = 'none';

/**
 * The figures of a round.
 * @param wanted replicas that the load of a deployment calls for; undefined = as many as its unit says
 */
export function figuresOf(round: Round, wanted: (dep: Unit['dep']) => number | undefined): Figures {
  const poolOf = poolNames(round.agents);
  // Units of a deployment come oldest first.
  const newest = new Map(round.units.map(({ dep, rev }) => [dep, rev]));
  const unplaced = round.units.flatMap((unit): Unplaced[] => {
    const shortage = round.shortages.get(unitKey(unit));
    const called = unit.replicas === 0 ? 0 : Math.max(unit.replicas, newest.get(unit.dep) === unit.rev ? (wanted(unit.dep) ?? 0) : 0);
    // Replicas that a failure keeps away are not missing a worker.
    const isMissing = shortage !== undefined || (called > unit.replicas && round.room(unit) === 0 && !hasFailed(unit, round));
    const replicas = isMissing ? called - assignedTo(unit, round) : 0;
    return replicas > 0 ? [{ pool: poolFor(unit, round, poolOf), reason: shortage?.reason ?? 'no_capacity', replicas }] : [];
  });
  return { pools: poolsOf(round, poolOf), unplaced };
}

function poolNames(agents: readonly AgentHeartbeat[]): (agent: AgentHeartbeat) => string {
  const nameOf = ({ pool = DEFAULT_POOL }: AgentHeartbeat): string => pool;
  const known = new Set([...new Set(agents.map(nameOf))].sort().slice(0, POOLS_MAX));
  return (agent) => (known.has(nameOf(agent)) ? nameOf(agent) : 'other');
}

function poolsOf({ agents, assignments }: Round, poolOf: (agent: AgentHeartbeat) => string): Map<string, PoolFigures> {
  const pools = new Map<string, PoolFigures>();
  for (const agent of agents.filter(({ draining }) => !draining)) {
    const before = pools.get(poolOf(agent)) ?? { workers: 0, occupied: 0, memoryBytes: 0, memoryFreeBytes: 0 };
    const isOccupied = (assignments.get(agent.wk)?.size ?? 0) > 0 || agent.loads.length > 0;
    pools.set(poolOf(agent), {
      workers: before.workers + 1,
      occupied: before.occupied + (isOccupied ? 1 : 0),
      memoryBytes: before.memoryBytes + (agent.mem_total ?? agent.mem_free),
      memoryFreeBytes: before.memoryFreeBytes + agent.mem_free,
    });
  }
  return pools;
}

const hasFailed = (unit: Unit, { agents }: Round): boolean =>
  agents.some(({ loads }) => loads.some((load) => unitKey(load) === unitKey(unit) && load.state === 'failed'));

/** The pool whose workers hold most replicas of the unit already; of those that hold none, one with the memory and the engine. */
function poolFor(unit: Unit, { agents, assignments }: Round, poolOf: (agent: AgentHeartbeat) => string): string {
  const able = agents.filter((agent) => agent.engines.includes(unit.engine) && (agent.mem_total ?? Infinity) >= unit.bytes);
  const held = new Map<string, number>();
  for (const agent of able) {
    const holds = assignments.get(agent.wk)?.has(unitKey(unit)) ? 1 : 0;
    held.set(poolOf(agent), (held.get(poolOf(agent)) ?? 0) + holds);
  }
  const [first] = [...held].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  return first?.[0] ?? NO_POOL;
}
