/** Least time without a word under the highest term before a lower one is obeyed, in ticks of one second. */
const FORGET_AFTER_TICKS = 30;

/**
 * Keeps assignments of an overruled placer out. A placer repeats its word every 2 s, so where the highest term is silent
 * for long its database has gone back, and counts from lower terms again. Turns of the own loop are counted, not time: what
 * arrived while this process was frozen says nothing about silence.
 */
export class TermFence {
  #highest = 0;
  #quietTicks = 0;

  /** Call each second. */
  tick(): void {
    this.#quietTicks += 1;
  }

  /** Whether an assignment under this term is to be obeyed. */
  admits(term: number): boolean {
    if (term < this.#highest && this.#quietTicks < FORGET_AFTER_TICKS) return false;
    this.#highest = term;
    this.#quietTicks = 0;
    return true;
  }
}
