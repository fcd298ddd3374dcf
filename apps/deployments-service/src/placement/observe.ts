import type { AgentLoad, DesiredState, ObservedState, StateReason } from '@slipway/contracts';
import type { Failure } from './failures.js';
import type { Shortage } from './place.js';

/** What is known of one deployment. */
export interface Evidence {
  readonly desired: DesiredState;
  /** Newest revision. */
  readonly rev: number;
  /** Replicas wanted of it. */
  readonly replicas: number;
  /** Agents that were told to run the newest revision. */
  readonly assigned: number;
  /** Loads of all its revisions on live agents. */
  readonly loads: readonly AgentLoad[];
  readonly shortage: Shortage | null;
  readonly failure: Failure | null;
}

/** The observed state and what explains it. */
export interface Observation {
  readonly state: ObservedState;
  readonly reason: StateReason | null;
  readonly detail: string | null;
  /** Of the load that is furthest, 0 to 1. */
  readonly progress: number | null;
  readonly readyReplicas: number;
  /** What every ready replica can do; null while none is ready. */
  readonly caps: readonly string[] | null;
  /** Smallest context of the ready replicas; null while none is ready or none says. */
  readonly context: number | null;
}

/** Derives a deployment's observed state. It answers requests when the state is `ready` or `degraded`. */
export function observe(evidence: Evidence): Observation {
  const current = evidence.loads.filter((load) => load.rev === evidence.rev);
  const ready = current.filter((load) => load.state === 'ready');
  const loading = current.filter((load) => load.state === 'loading');
  const facts = { readyReplicas: ready.length, progress: progressOf(loading), ...sharedFacts(ready) };
  if (evidence.desired === 'stopped') {
    return { ...facts, ...blameless(evidence.loads.length > 0 ? 'stopping' : 'stopped') };
  }
  if (ready.length >= evidence.replicas) return { ...facts, ...blameless('ready'), progress: null };
  const older = evidence.loads.some((load) => load.rev < evidence.rev && load.state === 'ready');
  if (ready.length > 0 || older) return { ...facts, ...blamed('degraded', evidence) };
  if (loading.length > 0) return { ...facts, ...blamed('loading', { failure: evidence.failure, shortage: null }) };
  if (evidence.failure) return { ...facts, ...blamed('failed', evidence) };
  if (evidence.assigned > 0) return { ...facts, ...blameless('loading') };
  return { ...facts, ...blamed('pending', evidence) };
}

type Explained = Pick<Observation, 'state' | 'reason' | 'detail'>;

const blameless = (state: ObservedState): Explained => ({ state, reason: null, detail: null });

/** A failure says more than a lack of room: it is what the owner can do something about. */
function blamed(state: ObservedState, { failure, shortage }: Pick<Evidence, 'failure' | 'shortage'>): Explained {
  const cause = failure ?? shortage;
  return { state, reason: cause?.reason ?? null, detail: cause?.detail ?? null };
}

function progressOf(loading: readonly AgentLoad[]): number | null {
  const known = loading.map((load) => load.progress).filter((progress) => progress !== null);
  return known.length > 0 ? Math.max(...known) : null;
}

function sharedFacts(ready: readonly AgentLoad[]): Pick<Observation, 'caps' | 'context'> {
  const [first, ...others] = ready;
  if (!first) return { caps: null, context: null };
  const contexts = ready.map((load) => load.context).filter((context) => context !== null);
  return {
    caps: first.caps.filter((cap) => others.every((load) => load.caps.includes(cap))).sort(),
    context: contexts.length > 0 ? Math.min(...contexts) : null,
  };
}
