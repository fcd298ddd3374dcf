import type { AgentLoad, DesiredState, ObservedState, StateReason } from '@slipway/contracts';
import type { Failure } from './failures.js';
import type { Shortage } from './place.js';

/** What is known of one revision besides the agents' loads. */
export interface RevisionEvidence {
  readonly rev: number;
  /** Agents that were told to run it. */
  readonly assigned: number;
  readonly shortage: Shortage | null;
  readonly failure: Failure | null;
}

/** What is known of one deployment. */
export interface Evidence {
  readonly desired: DesiredState;
  /** Revision that new requests went to until now; null while none was ready. */
  readonly serving: number | null;
  /** Replicas wanted of the newest revision. */
  readonly replicas: number;
  /** Agents that it is assigned to, or that still have something of a stopped one, by name; null = not all of them can be told by their runners. */
  readonly agents: readonly string[] | null;
  /** What these agents have of it, of all revisions. */
  readonly loads: readonly AgentLoad[];
  readonly newest: RevisionEvidence;
  /** The revision that serves, where it is not the newest. */
  readonly older: RevisionEvidence | null;
}

/** The observed state and what explains it. */
export interface Observation {
  readonly state: ObservedState;
  readonly reason: StateReason | null;
  readonly detail: string | null;
  /** Revision that new requests go to from now on; null while none was ready. */
  readonly serving: number | null;
  /** Of the load of the newest revision that is furthest, 0 to 1. */
  readonly progress: number | null;
  /** Of the revision that serves. */
  readonly readyReplicas: number;
  /** What every ready replica of the revision that serves can do; null while none is ready. */
  readonly caps: readonly string[] | null;
  /** Smallest context of these replicas; null while none is ready or none says. */
  readonly context: number | null;
  /** Agents that it is assigned to, or that still have something of a stopped one, by name; null while one of them is of a version whose runners are not named after it. */
  readonly agents: readonly string[] | null;
}

type Explained = Pick<Observation, 'state' | 'reason' | 'detail'>;

const inState = (state: AgentLoad['state'], loads: readonly AgentLoad[]): AgentLoad[] => loads.filter((load) => load.state === state);

/** Derives a deployment's observed state. It answers requests when the state is `ready` or `degraded`. */
export function observe(evidence: Evidence): Observation {
  const { loads, newest } = evidence;
  const older = takesOver(evidence) ? null : evidence.older;
  const { rev } = older ?? newest;
  const ready = inState('ready', loads).filter((load) => load.rev === rev);
  const progress = progressOf(inState('loading', loads).filter((load) => load.rev === newest.rev));
  const facts = { progress, readyReplicas: ready.length, ...sharedFacts(ready), agents: evidence.agents };
  if (evidence.desired === 'stopped') return { ...facts, serving: null, ...blameless(loads.length > 0 ? 'stopping' : 'stopped') };
  const serving = ready.length > 0 || evidence.serving === rev ? rev : null;
  if (ready.length === 0) return { ...facts, serving, ...unanswered(evidence, older ? [older, newest] : [newest]) };
  const explained = answered(evidence, older);
  return { ...facts, serving, ...explained, progress: older || explained.state !== 'ready' ? progress : null };
}

/** It answers: with all that is wanted, or with less. */
function answered({ loads, newest, replicas }: Evidence, older: RevisionEvidence | null): Explained {
  if (older && troubleOf(newest)) return heldBack(older, newest);
  const counts = inState('ready', loads).filter(({ rev }) => rev === newest.rev || rev === older?.rev);
  return counts.length >= replicas ? blameless('ready') : blamed('degraded', older ?? newest);
}

/** The newest revision serves once it is ready as often as the one before, or as often as wanted. */
function takesOver({ loads, newest, older, replicas }: Evidence): boolean {
  if (!older) return true;
  const ready = inState('ready', loads);
  const [fresh, old] = [newest, older].map(({ rev }) => ready.filter((load) => load.rev === rev).length) as [number, number];
  return fresh > 0 && (fresh >= old || fresh >= replicas);
}

/** Nobody answers: the first revision of which something is known says why. */
function unanswered({ loads }: Evidence, revisions: readonly RevisionEvidence[]): Explained {
  const of = ({ rev }: RevisionEvidence): AgentLoad[] => loads.filter((load) => load.rev === rev);
  const loading = revisions.find((revision) => inState('loading', of(revision)).length > 0);
  if (loading) return blamed('loading', { ...loading, shortage: null });
  const failed = revisions.find(({ failure }) => failure !== null);
  if (failed) return blamed('failed', failed);
  if (revisions.some(({ assigned }) => assigned > 0)) return blameless('loading');
  return blamed('pending', revisions.find(({ shortage }) => shortage !== null) ?? { failure: null, shortage: null });
}

const blameless = (state: ObservedState): Explained => ({ state, reason: null, detail: null });

type Trouble = Pick<RevisionEvidence, 'failure' | 'shortage'>;

/** A failure says more than a lack of room: it is what the owner can do something about. */
const troubleOf = ({ failure, shortage }: Trouble): Failure | Shortage | null => failure ?? shortage;

function blamed(state: ObservedState, trouble: Trouble): Explained {
  const cause = troubleOf(trouble);
  return { state, reason: cause?.reason ?? null, detail: cause?.detail ?? null };
}

function heldBack(older: RevisionEvidence, newest: RevisionEvidence): Explained {
  const { reason, detail } = blamed('degraded', newest);
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
