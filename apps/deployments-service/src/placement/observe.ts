import type { AgentLoad, DesiredState, ObservedState, StateReason } from '@slipway/contracts';
import type { Failure } from './failures.js';
import type { Shortage } from './place.js';

/** What placement knows of one revision besides the agents' loads. */
export interface RevisionEvidence {
  readonly rev: number;
  /** Number of agents that it is assigned to. */
  readonly assigned: number;
  readonly shortage: Shortage | null;
  readonly failure: Failure | null;
}

/** What placement knows of one deployment. */
export interface Evidence {
  readonly desired: DesiredState;
  /** Revision that new requests go to until now; null while none was ready. */
  readonly serving: number | null;
  /** Wanted replicas of the newest revision. */
  readonly replicas: number;
  /** Ready replicas below which it is degraded; absent = `replicas`. One that scales by its load is not while it grows. */
  readonly least?: number;
  /**
   * Names of the agents that it is assigned to, or that still have loads of a stopped deployment; null if the runners of one of
   * them are not named after their agent, as in older versions.
   */
  readonly agents: readonly string[] | null;
  /** Loads of these agents, of all revisions. */
  readonly loads: readonly AgentLoad[];
  readonly newest: RevisionEvidence;
  /** The serving revision, if it is not the newest. */
  readonly older: RevisionEvidence | null;
}

/** The observed state and its reason. */
export interface Observation {
  readonly state: ObservedState;
  readonly reason: StateReason | null;
  readonly detail: string | null;
  /** Revision that new requests go to from now on; null while none was ready. */
  readonly serving: number | null;
  /** Progress of the newest revision's most advanced load, 0 to 1. */
  readonly progress: number | null;
  /** Ready replicas of the serving revision. */
  readonly readyReplicas: number;
  /** Capabilities that every ready replica of the serving revision has; null while none is ready. */
  readonly caps: readonly string[] | null;
  /** Smallest context of these replicas in tokens; null while none is ready or none reports it. */
  readonly context: number | null;
  /** As in `Evidence`. */
  readonly agents: readonly string[] | null;
}

type Explained = Pick<Observation, 'state' | 'reason' | 'detail'>;

const inState = (state: AgentLoad['state'], loads: readonly AgentLoad[]): AgentLoad[] => loads.filter((load) => load.state === state);

/** Derives a deployment's observed state. It serves requests in the states `ready` and `degraded`. */
export function observe(evidence: Evidence): Observation {
  const { loads, newest } = evidence;
  const older = isRolledOut(evidence) ? null : evidence.older;
  const { rev } = older ?? newest;
  const ready = inState('ready', loads).filter((load) => load.rev === rev);
  const progress = progressOf(inState('loading', loads).filter((load) => load.rev === newest.rev));
  const facts = { progress, readyReplicas: ready.length, ...sharedFacts(ready), agents: evidence.agents };
  if (evidence.desired === 'stopped') return { ...facts, serving: null, ...withoutReason(loads.length > 0 ? 'stopping' : 'stopped') };
  const serving = ready.length > 0 || evidence.serving === rev ? rev : null;
  if (ready.length === 0) return { ...facts, serving, ...withoutReadyReplica(evidence, older ? [older, newest] : [newest]) };
  const explained = withReadyReplica(evidence, older);
  return { ...facts, serving, ...explained, progress: older || explained.state !== 'ready' ? progress : null };
}

/** The state with at least one ready replica: ready, or degraded if replicas or the newest revision are missing. */
function withReadyReplica({ loads, newest, replicas, least = replicas }: Evidence, older: RevisionEvidence | null): Explained {
  if (older && problemOf(newest)) return rolloutBlocked(older, newest);
  const counts = inState('ready', loads).filter(({ rev }) => rev === newest.rev || rev === older?.rev);
  return counts.length >= Math.min(least, replicas) ? withoutReason('ready') : withReasonOf('degraded', older ?? newest);
}

/** True once the newest revision has as many ready replicas as the older one, or as many as wanted. */
function isRolledOut({ loads, newest, older, replicas }: Evidence): boolean {
  if (!older) return true;
  const ready = inState('ready', loads);
  const [fresh, old] = [newest, older].map(({ rev }) => ready.filter((load) => load.rev === rev).length) as [number, number];
  return fresh > 0 && (fresh >= old || fresh >= replicas);
}

/** The state without a ready replica. The first revision with a load, failure or shortage gives the reason. */
function withoutReadyReplica({ loads }: Evidence, revisions: readonly RevisionEvidence[]): Explained {
  const of = ({ rev }: RevisionEvidence): AgentLoad[] => loads.filter((load) => load.rev === rev);
  const loading = revisions.find((revision) => inState('loading', of(revision)).length > 0);
  if (loading) return withReasonOf('loading', { ...loading, shortage: null });
  const failed = revisions.find(({ failure }) => failure !== null);
  if (failed) return withReasonOf('failed', failed);
  if (revisions.some(({ assigned }) => assigned > 0)) return withoutReason('loading');
  return withReasonOf('pending', revisions.find(({ shortage }) => shortage !== null) ?? { failure: null, shortage: null });
}

const withoutReason = (state: ObservedState): Explained => ({ state, reason: null, detail: null });

type Problem = Pick<RevisionEvidence, 'failure' | 'shortage'>;

/** A failure takes precedence over a shortage, since the owner can act on it. */
const problemOf = ({ failure, shortage }: Problem): Failure | Shortage | null => failure ?? shortage;

function withReasonOf(state: ObservedState, problem: Problem): Explained {
  const cause = problemOf(problem);
  return { state, reason: cause?.reason ?? null, detail: cause?.detail ?? null };
}

function rolloutBlocked(older: RevisionEvidence, newest: RevisionEvidence): Explained {
  const { reason, detail } = withReasonOf('degraded', newest);
  const why = [`Revision ${newest.rev} cannot take over, revision ${older.rev} serves.`, detail].filter((text) => text !== null);
  return { state: 'degraded', reason, detail: why.join(' ') };
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
