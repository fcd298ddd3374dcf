/** Least time without a message of the highest term before a lower one is admitted, in ticks of one second. */
const FORGET_AFTER_TICKS = 30;

/** Rejects assignments of an overruled placer, and those that are older than the applied one. Counts ticks instead of time: a frozen process received nothing. */
export class TermFence {
  #term = 0;
  #no = 0;
  #silentTicks = 0;

  /** The assignment that is applied; null before the first. */
  get applied(): { term: number; no: number } | null {
    return this.#term === 0 ? null : { term: this.#term, no: this.#no };
  }

  /** Call each second. */
  tick(): void {
    this.#silentTicks += 1;
  }

  /** Whether an assignment is to be applied: newer than the last one, or the same again. */
  admits(term: number, no: number): boolean {
    const isOld = term < this.#term || (term === this.#term && no < this.#no);
    if (isOld && (term === this.#term || this.#silentTicks < FORGET_AFTER_TICKS)) return false;
    this.#term = term;
    this.#no = no;
    this.#silentTicks = 0;
    return true;
  }
}
