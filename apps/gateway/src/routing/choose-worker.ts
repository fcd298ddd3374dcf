import type { CanonicalRequest, Incarnation } from '@slipway/contracts';
import type { CutTexts } from '@slipway/platform';

const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;
/** Characters of a message that are hashed: enough to distinguish conversations. */
const SIGNIFICANT_CHARS = 16 * 1024;

/** 32-bit FNV-1a over UTF-16 code units, the first 16 Ki of them. */
export function hashText(text: string, seed = OFFSET): number {
  // As a signed integer: with a larger number the loop is compiled for doubles, and takes four times as long.
  let hash = seed | 0;
  const length = Math.min(text.length, SIGNIFICANT_CHARS);
  for (let i = 0; i < length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), PRIME);
  return hash >>> 0;
}

/** Texts that stand as marks in a request, by their beginnings. */
type Beginnings = Pick<CutTexts, 'beginningOf'>;

/** Mixes the bits of a hash, so that similar values differ widely (finalizer of MurmurHash3). */
export function mix(hash: number): number {
  let h = hash;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/**
 * A hash that stays the same over a conversation, so that its turns find the same cached prefix: of the client's key if it sent
 * one, else of the system messages and the first user message. Deployments belong to one account, so keys of different accounts
 * cannot collide.
 * @param texts those that stand in the request as marks; absent = none does.
 */
export function affinityOf(request: CanonicalRequest, clientKey: string | undefined, texts?: Beginnings): number {
  if (clientKey !== undefined) return hashText(clientKey);
  let hash = OFFSET;
  for (const message of request.messages) {
    if (message.role === 'assistant') continue;
    for (const part of message.content) {
      const text = part.type === 'text' ? part.text : part.url;
      hash = hashText(texts ? texts.beginningOf(text, SIGNIFICANT_CHARS) : text, hashText(message.role, hash));
    }
    if (message.role === 'user') break;
  }
  return hash;
}

/** Values of a 32-bit hash. */
const HASHES = 2 ** 32;

/**
 * Whether a conversation belongs to the share of a canary. All its turns do, at every gateway, since they begin alike; a higher share
 * only adds conversations.
 * @param seed as in `ResolvedCanary`
 * @param texts as in `affinityOf`
 */
export function isInShare(
  request: CanonicalRequest,
  { percent, seed }: { readonly percent: number; readonly seed: number },
  texts?: Beginnings,
): boolean {
  return (mix(affinityOf(request, undefined, texts) ^ seed) / HASHES) * 100 < percent;
}

/** A worker to choose from. */
export interface Candidate {
  readonly wk: Incarnation;
  /** Hash of `wk`. */
  readonly hash: number;
  readonly slots: number;
  readonly free: number;
}

/** Load of a worker, as a multiple of its share, above which its conversations go elsewhere. */
const LOAD_BOUND = 1.5;

/**
 * Chooses a worker with a free slot: the first by rendezvous hash whose load is at most 1.5 times its share, else the freer of
 * two random ones. The first is the same at every gateway that sees the same figures.
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

/** Includes the request to be placed, so that the share is above 0 when all workers are idle. */
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
