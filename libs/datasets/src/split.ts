import type { CanonicalExample, CanonicalMessage } from './example.js';
import { Hash64, placeOf } from './hash.js';

/** Places go from 0 to so many, without the last. */
export const PLACES = 2 ** 53;

/** How many prompts are held out, where nothing else is asked. */
const SHARE = 0.1;
const LEAST = 5;
const MOST = 500;
/** A data set with fewer prompts teaches facts, and a wording that is held out is not learned. */
const SMALL = 50;

/** What the first version of a data set says of its split. */
export interface SplitPlan {
  /** Prompts whose place lies below are held out of this version and of all after it. */
  readonly below: number;
  /** The places of all prompts of a version with fewer than 50, which are better learned than held out; null = more. */
  readonly few: readonly number[] | null;
}

/** Characters of each end of a prompt that decide its place. */
const END_CHARS = 2_048;
const scratch = new DataView(new ArrayBuffer(16 * END_CHARS));
const bytes = new Uint8Array(scratch.buffer);
const encoder = new TextEncoder();
const hash = new Hash64();

/** Letters and digits in lower case: the same for texts that differ in spaces, punctuation, case and forms of characters. */
function essence(text: string): string {
  const ends = text.length <= 2 * END_CHARS ? text : `${text.slice(0, END_CHARS)} ${text.slice(-END_CHARS)}`;
  const plain = ends.normalize('NFKC').toLowerCase();
  const words = plain.replaceAll(/[^\p{L}\p{N}]+/gu, ' ').trim();
  return words === '' ? plain.trim() : words;
}

const messagesOf = (example: CanonicalExample): readonly CanonicalMessage[] =>
  example.kind === 'preference' ? example.prompt : example.messages;

/**
 * Place of an example in every split, from 0 to 2^53 − 1. The first message of its user decides alone: conversations that begin alike
 * are on one side, and so are those whose beginnings differ in case, spaces and punctuation only.
 */
export function placeOfExample(example: CanonicalExample): number {
  const messages = messagesOf(example);
  const first = messages.find(({ role }) => role === 'user') ?? messages.find(({ role }) => role !== 'system') ?? messages[0];
  const { written } = encoder.encodeInto(essence(first?.content ?? ''), bytes);
  const { high, low } = hash.of(scratch, 0, written);
  return placeOf(0, high, low);
}

/** Plans the split of a data set, of which one version after the other comes: no prompt may ever change sides. Memory is bounded. */
export class SplitPlanner {
  /** The lowest places of different prompts, ascending; one more than are ever held out. */
  readonly #lowest: number[] = [];
  readonly #learned: ReadonlySet<number>;
  readonly #met = new Set<number>();

  /** @param learned places of prompts that earlier, small versions learned */
  constructor(learned: readonly number[] = []) {
    this.#learned = new Set(learned);
  }

  /** Takes the place of one example. */
  add(place: number): void {
    const lowest = this.#lowest;
    if (this.#learned.has(place)) this.#met.add(place);
    else if (lowest.length <= MOST || place < (lowest[MOST] as number)) this.#enter(place, lowest);
  }

  #enter(place: number, lowest: number[]): void {
    let low = 0;
    let high = lowest.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((lowest[middle] as number) < place) low = middle + 1;
      else high = middle;
    }
    if (lowest[low] === place) return;
    lowest.splice(low, 0, place);
    if (lowest.length > MOST + 1) lowest.pop();
  }

  /** A tenth of the prompts are held out, at least 5 and at most 500 and half of them. */
  plan(): SplitPlan {
    const lowest = this.#lowest;
    const count = lowest.length;
    if (count > MOST) return { below: Math.min(SHARE * PLACES, lowest[MOST] as number), few: null };
    const held = Math.min(Math.max(Math.round(count * SHARE), LEAST), Math.floor(count / 2));
    return { below: lowest[held] ?? 0, few: count + this.#met.size < SMALL ? [...lowest] : null };
  }
}
