/** The replicas that an autoscaled deployment may have, and the share of its slots that its load should take, in percent. */
export interface ReplicaRange {
  readonly min: number;
  readonly max: number;
  readonly targetPercent: number;
}

/** What is known of one deployment when its replicas are decided. */
export interface ScaleInput {
  /** Monotonic, in milliseconds. To be called about once a second: after a pause of `GAP_MS` the windows begin anew. */
  readonly now: number;
  readonly range: ReplicaRange;
  /** Replicas that it has been scaled to. */
  readonly replicas: number;
  /** Replicas that an agent holds, loading ones included. */
  readonly assigned: number;
  readonly ready: number;
  /** Slots of one replica. */
  readonly slots: number;
  /** Requests at its workers and in the queues of gateways. */
  readonly requests: number;
  /** Number of further replicas that could be placed now. */
  readonly room: () => number;
  /** How long a lower load lasts before a replica is given up, in milliseconds. */
  readonly downAfterMs: number;
}

/** Replicas that were needed at a time. */
interface Peak {
  readonly at: number;
  readonly replicas: number;
}

/** What is kept between two calls. A placer that has none begins with the stored number of replicas, and gives up none too early. */
export interface ScaleState {
  /** Replicas that the load calls for, within the range, whether or not there is room for them. */
  readonly wanted: number;
  /** When sampling began, and when it was done last. */
  readonly since: number;
  readonly at: number;
  /** When `wanted` changed last. */
  readonly changedAt: number;
  /** Since when the load calls for more than `wanted`; null = it does not. */
  readonly overSince: number | null;
  /** Since when fewer replicas are placed than the deployment was scaled to; null = none is missing. */
  readonly shortSince: number | null;
  /** Mean of the requests, newer ones weighing more. */
  readonly mean: number;
  /** The highest needs of the last `downAfterMs`, oldest and highest first. */
  readonly peaks: readonly Peak[];
}

/** A decision. `replicas`: what the deployment should be scaled to, as far as there is room. */
export interface Scaling {
  readonly replicas: number;
  readonly state: ScaleState;
}

/** How long the mean calls for more before a replica is added, in milliseconds: three reports of a gateway. */
const UP_AFTER_MS = 6_000;
/** Time constant of the mean of requests, in milliseconds: single requests are noise, twice the slots show within seconds. */
const MEAN_MS = 12_000;
/** A further step up waits until the replicas of the last one are ready, at most so long. In milliseconds. */
const UP_AGAIN_MS = 30_000;
/** Replicas that lost their place are given up after this time, in milliseconds: an agent may come back with them. */
const SHORT_MS = 30_000;
/** After a pause of this length, in milliseconds, what was sampled before says nothing of the time between. */
const GAP_MS = 10_000;
/** A replica is given up only if the load is below this share of the target of those that stay: noise around a bound changes nothing. */
const DOWN_SHARE = 0.8;

const clamp = (value: number, { min, max }: ReplicaRange): number => Math.min(max, Math.max(min, value));

/** Replicas whose slots the mean of requests takes to `share` of the target. */
function needOf(mean: number, { slots, range }: ScaleInput, share = 1): number {
  const perReplica = (slots * range.targetPercent * share) / 100;
  return clamp(Math.ceil(mean / perReplica - 1e-9), range);
}

/**
 * Decides the number of replicas of one deployment from its load. Up: to what the mean load needs, at most to twice as many at once.
 * Down: by one each tenth of `downAfterMs`, to what the highest mean of `downAfterMs` needs. Without a ready replica nothing is
 * decided, because the load says nothing then.
 */
export function scaleReplicas(before: ScaleState | undefined, input: ScaleInput): Scaling {
  const last = before && input.now - before.at < GAP_MS ? before : beginning(before, input);
  if (input.ready === 0) return { replicas: clamp(input.replicas, input.range), state: beginning(last, input) };
  const sampled = sample(last, input);
  const wanted = nextWanted(sampled, input);
  return placeable(wanted === sampled.wanted ? sampled : { ...sampled, wanted, changedAt: input.now }, input);
}

function beginning(before: ScaleState | undefined, { now, replicas, range, requests }: ScaleInput): ScaleState {
  const { wanted = replicas, changedAt = now, shortSince = null } = before ?? {};
  return { wanted: clamp(wanted, range), since: now, at: now, changedAt, overSince: null, shortSince, mean: requests, peaks: [] };
}

/** Peaks that a newer one reaches can no longer be the highest of the window: what is left is ordered, and never more than `max`. */
function sample(state: ScaleState, input: ScaleInput): ScaleState {
  const { now, downAfterMs, range, requests } = input;
  const weight = 1 - Math.exp((state.at - now) / Math.min(MEAN_MS, downAfterMs / 5));
  const mean = state.mean + (requests - state.mean) * weight;
  const wanted = clamp(state.wanted, range);
  const overSince = needOf(mean, input) > wanted ? (state.overSince ?? now) : null;
  const replicas = needOf(mean, input, DOWN_SHARE);
  const peaks = state.peaks.filter((peak) => now - peak.at < downAfterMs && peak.replicas > replicas);
  return { ...state, at: now, mean, wanted, overSince, peaks: [...peaks, { at: now, replicas }] };
}

function nextWanted({ wanted, since, changedAt, overSince, mean, peaks }: ScaleState, input: ScaleInput): number {
  const { now, ready, downAfterMs } = input;
  if (overSince !== null) {
    const isFree = ready >= wanted || now - changedAt >= UP_AGAIN_MS;
    return isFree && now - overSince >= Math.min(UP_AFTER_MS, downAfterMs) ? Math.min(needOf(mean, input), wanted * 2) : wanted;
  }
  const isOver = (peaks[0]?.replicas ?? wanted) < wanted && now - since >= downAfterMs && now - changedAt >= downAfterMs / 10;
  return isOver ? wanted - 1 : wanted;
}

/** What is asked for is what finds room; what the load calls for besides stays in `wanted`. */
function placeable(state: ScaleState, { now, range, replicas, assigned, room }: ScaleInput): Scaling {
  const { wanted } = state;
  const shortSince = assigned < Math.min(replicas, wanted) ? (state.shortSince ?? now) : null;
  const isLost = shortSince !== null && now - shortSince >= SHORT_MS;
  const kept = isLost ? assigned : Math.min(replicas, wanted);
  const placed = wanted > kept ? Math.max(kept, Math.min(wanted, assigned + room())) : kept;
  return { replicas: clamp(placed, range), state: { ...state, shortSince } };
}
