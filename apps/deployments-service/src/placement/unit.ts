import type { AgentHeartbeat, AgentLoad, DeploymentId, Incarnation } from '@slipway/contracts';

/** One revision of a deployment that must run. Two revisions of one deployment are two units. */
export interface Unit {
  readonly dep: DeploymentId;
  readonly rev: number;
  /** Agents that it should run on; one agent runs a unit at most once. */
  readonly replicas: number;
  /** Agents that may keep it where they have it already; absent = as many as should run it. */
  readonly kept?: number;
  /** Rises when the owner asks for another try at once. */
  readonly tries: number;
  /** The kind of engine that loads it. */
  readonly engine: string;
  /** Memory that it takes on each agent; 0 for an engine that computes elsewhere. */
  readonly bytes: number;
  /** The part of `bytes` that stays in the file cache: the kernel calls it available. */
  readonly mapped: number;
  /** Where it is downloaded from; null when there is nothing to download. */
  readonly download: string | null;
  /** It has a secret that goes only to agents with a key. */
  readonly secret: boolean;
}

/** Names a unit in maps. */
export type UnitKey = `${number}:${number}`;
export const unitKey = ({ dep, rev }: { readonly dep: number; readonly rev: number }): UnitKey => `${dep}:${rev}`;

/** The part of an agent's heartbeat that placement reads. */
export type Agent = Pick<AgentHeartbeat, 'wk' | 'host' | 'zone' | 'mem_free' | 'engines' | 'cached' | 'draining' | 'loads' | 'key'>;

type Loads = Pick<Agent, 'loads'>;

/** Loads by deployment: an agent may have thousands, and every round asks for each of them. A heartbeat never changes. */
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

/** What the agent has of a deployment, of all its revisions. */
export const loadsOf = ({ loads }: Loads, dep: number): readonly AgentLoad[] => indexOf(loads).get(dep) ?? NONE;

export const loadOf = (agent: Loads, unit: { readonly dep: number; readonly rev: number }): AgentLoad | undefined =>
  loadsOf(agent, unit.dep).find((load) => load.rev === unit.rev);

/** Which units each agent runs. */
export type Assignments = ReadonlyMap<Incarnation, ReadonlySet<UnitKey>>;
