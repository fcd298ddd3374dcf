/** Which prompts of a data set are held out. Belongs to the data set, not to a version: stored once, it never changes. */
export interface Split {
  readonly seed: number;
  /** Prompts whose place by hash lies below are held out; places are 64-bit numbers. 0 = none. */
  readonly below: bigint;
}

/** Whether an example is held out, by the hash of its prompt. */
export function isHeldOut(split: Split, promptHash: bigint): boolean {
  throw new Error(`not built: ${split.seed} ${promptHash}`);
}
