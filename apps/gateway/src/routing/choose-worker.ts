import type { Incarnation } from '@slipway/contracts';
import { mix } from './affinity.js';

/** What the choice knows of a worker. */
export interface Candidate {
  readonly wk: Incarnation;
  /** Hash of `wk`. */
  readonly hash: number;
  readonly slots: number;
  readonly free: number;
}

/** A worker may hold this many times its share of the load before conversations go past it. */
const LOAD_BOUND = 1.5;

/**
 * Chooses a worker with a free slot: the first by rendezvous hash that is not loaded beyond 1.5 times its share, else the
 * freer of two random ones. Pure: the same figures give the same choice, so gateways agree without talking.
 * @param random yields numbers in [0, 1).
 * @returns null when no candidate has a free slot.
 */
export function chooseWorker(candidates: readonly Candidate[], affinity: number, random: () => number): Incarnation | null {
  let slots = 0;
  let used = 0;
  for (const { slots: own, free } of candidates) {
    slots += own;
    used += own - free;
  }
  let best: Candidate | null = null;
  let bestScore = -1;
  for (const candidate of candidates) {
    if (candidate.free <= 0 || isOverloaded(candidate, used, slots)) continue;
    const score = mix(affinity ^ candidate.hash);
    if (score > bestScore || (score === bestScore && best && candidate.wk < best.wk)) {
      best = candidate;
      bestScore = score;
    }
  }
  return (best ?? freerOfTwo(candidates, random))?.wk ?? null;
}

/** Counts the request to be placed, so that an idle fleet has a share to measure by. */
function isOverloaded({ slots: own, free }: Candidate, used: number, slots: number): boolean {
  return own - free + 1 > Math.ceil((LOAD_BOUND * (used + 1) * own) / slots);
}

function freerOfTwo(candidates: readonly Candidate[], random: () => number): Candidate | null {
  const free = candidates.filter((candidate) => candidate.free > 0);
  const one = free[Math.floor(random() * free.length)];
  const other = free[Math.floor(random() * free.length)];
  if (!one || !other) return null;
  return other.free > one.free ? other : one;
}
