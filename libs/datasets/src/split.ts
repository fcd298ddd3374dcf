import { placeOf } from './hash.js';

/** Which prompts of a data set are held out. Belongs to the data set, not to a version: stored once, it never changes. */
export interface Split {
  readonly seed: number;
  /** Prompts whose place by hash lies below are held out; places go from 0 to 2^53 − 1. 0 = none. */
  readonly below: number;
}

/** How many prompts are held out, where nothing else is asked. */
const SHARE = 0.1;
const LEAST = 5;
const MOST = 500;

/**
 * Whether an example is held out, by the hash of its prompt. Nothing else decides: the same prompt is on the same side in every version
 * for which the same split is used.
 */
export const isHeldOut = (split: Split, promptHash: bigint): boolean =>
  placeOf(split.seed, Number(promptHash >> 32n), Number(promptHash & 0xffff_ffffn)) < split.below;

/** Finds the split that holds out a tenth of the prompts of a data set's first version, at least 5 and at most 500. */
export class SplitPlanner {
  /** The lowest places of different prompts, ascending; one more than are ever held out. */
  private lowest: number[] = [];
  private highest = -1;

  constructor(private readonly seed: number) {}

  /** Takes the prompt of one example by the halves of its hash. */
  add(prompt: { readonly high: number; readonly low: number }): void {
    const place = placeOf(this.seed, prompt.high, prompt.low);
    if (this.lowest.length > MOST && place >= this.highest) return;
    let low = 0;
    let high = this.lowest.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.lowest[middle] as number) < place) low = middle + 1;
      else high = middle;
    }
    if (this.lowest[low] === place) return;
    this.lowest.splice(low, 0, place);
    if (this.lowest.length > MOST + 1) this.lowest.pop();
    this.highest = this.lowest.at(-1) ?? -1;
  }

  /** The split for so many different prompts; at most half of them are held out. */
  plan(prompts: number): Split {
    const held = Math.min(Math.max(Math.round(prompts * SHARE), LEAST), MOST, Math.floor(prompts / 2));
    return { seed: this.seed, below: this.lowest[held] ?? 0 };
  }
}
