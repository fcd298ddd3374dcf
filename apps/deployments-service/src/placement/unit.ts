import type { AgentHeartbeat, AgentLoad, DeploymentId, Incarnation } from '@slipway/contracts';

/** One revision of a deployment as placement counts it. Two revisions of one deployment are two units. */
export interface Unit {
  readonly dep: DeploymentId;
  readonly rev: number;
  /** Number of agents that it should run on; an agent runs a unit at most once. */
  readonly replicas: number;
  /** Number of agents that may keep it if they have it already; absent = `replicas`. */
  readonly kept?: number;
  /** Rises with each retry that the owner asks for. */
  readonly tries: number;
  /** The kind of engine that loads it. */
  readonly engine: string;
  /** Memory on each agent; 0 for an HTTP engine. */
  readonly bytes: number;
  /** The part of `bytes` in the file cache, which the kernel reports as available. */
  readonly mapped: number;
  /** Path of the model's file on the agents; null where it is none. Replicas of one host share its pages. */
  readonly file: string | null;
  /** True if it has an adapter, which only agents with the feature load. */
  readonly adapter: boolean;
  /** Address of the download; null when there is nothing to download. */
  readonly download: string | null;
  /** True if it has a secret that only agents with a key may get. */
  readonly secret: boolean;
}

/** Key of a unit in maps. */
export type UnitKey = `${number}:${number}`;
export const unitKey = ({ dep, rev }: { readonly dep: number; readonly rev: number }): UnitKey => `${dep}:${rev}`;

/** A live agent. `draining` is true as well where it is `drained`. */
export interface LiveAgent extends AgentHeartbeat {
  /**
   * True while it is drained though its process stays: it keeps each replica until another agent has one ready. Absent = it is
   * not. An agent that is only `draining` ends by itself.
   */
  readonly drained?: boolean;
}

/** The part of an agent's heartbeat that placement reads. */
export type Agent = Pick<
  LiveAgent,
  'wk' | 'host' | 'zone' | 'mem_free' | 'engines' | 'features' | 'cached' | 'draining' | 'drained' | 'loads' | 'key'
>;

type Loads = Pick<Agent, 'loads'>;

/** Loads by deployment, cached per heartbeat: an agent may have thousands of loads, and every round looks each of them up. */
const indexes = new WeakMap<Loads['loads'], ReadonlyMap<number, readonly AgentLoad[]>>();

function indexOf(loads: Loads['loads']): ReadonlyMap<number, readonly AgentLoad[]> {
  const known = indexes.get(loads);
  if (known) return known;
  const index = new Map<number, AgentLoad[]>();
  for (const load of loads) {
    const others = index.get(load.dep);
    if (others) others.push(load);
    else index.set(load.dep, [load]);
  }
  indexes.set(loads, index);
  return index;
}

const NONE: readonly AgentLoad[] = [];

/** The agent's loads of a deployment, of all revisions. */
export const loadsOf = ({ loads }: Loads, dep: number): readonly AgentLoad[] => indexOf(loads).get(dep) ?? NONE;

/** The agent's load of a unit. */
export const loadOf = (agent: Loads, unit: { readonly dep: number; readonly rev: number }): AgentLoad | undefined =>
  loadsOf(agent, unit.dep).find((load) => load.rev === unit.rev);

/** The units that are assigned to each agent. */
export type Assignments = ReadonlyMap<Incarnation, ReadonlySet<UnitKey>>;
