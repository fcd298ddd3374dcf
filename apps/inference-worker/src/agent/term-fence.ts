/** Least time without a message of the highest term before a lower one is admitted, in ticks of one second. */
const FORGET_AFTER_TICKS = 30;

/**
 * Rejects assignments of an overruled placer. A placer repeats its assignment every 2 s. A long silence of the highest term means
 * that the placer's database was restored from a backup and numbers terms from a lower one again. Counts ticks instead of time:
 * while this process was frozen, it received nothing.
 */
export class TermFence {
  #highest = 0;
  #silentTicks = 0;

  /** Call each second. */
  tick(): void {
    this.#silentTicks += 1;
  }

  /** Whether an assignment of this term may be applied. */
  admits(term: number): boolean {
    if (term < this.#highest && this.#silentTicks < FORGET_AFTER_TICKS) return false;
    this.#highest = term;
    this.#silentTicks = 0;
    return true;
  }
}
