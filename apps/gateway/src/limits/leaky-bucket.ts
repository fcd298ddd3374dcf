const MINUTE_MS = 60_000;

/**
 * How much of a minute's allowance is taken. It drains by one allowance a minute, so an unused one can be spent at once, and
 * after that what drains.
 */
export class LeakyBucket {
  #taken = 0;
  #at = 0;

  constructor(private allowance: number) {}

  get limit(): number {
    return this.allowance;
  }

  /** A limit that was changed: what is taken stays taken. */
  resize(allowance: number, now: number): void {
    this.#drain(now);
    this.allowance = allowance;
  }

  /** More than the allowance after others took at the same time, or a request used more than was set aside. */
  taken(now: number): number {
    this.#drain(now);
    return this.#taken;
  }

  /** Milliseconds until there is room for this much; 0 = now. More than the whole allowance fits when nothing is taken. */
  waitFor(amount: number, now: number): number {
    const excess = this.taken(now) + Math.min(amount, this.allowance) - this.allowance;
    return excess <= 0 ? 0 : (excess / this.allowance) * MINUTE_MS;
  }

  /** Milliseconds until nothing is taken. */
  emptyIn(now: number): number {
    return (this.taken(now) / this.allowance) * MINUTE_MS;
  }

  /** Negative gives back; never more than is taken. */
  add(amount: number, now: number): void {
    this.#drain(now);
    if (Number.isFinite(this.allowance)) this.#taken = Math.max(0, this.#taken + amount);
  }

  /** At least this much is taken. */
  raise(taken: number, now: number): void {
    this.#drain(now);
    if (Number.isFinite(this.allowance)) this.#taken = Math.max(this.#taken, taken);
  }

  #drain(now: number): void {
    if (now > this.#at) this.#taken = Math.max(0, this.#taken - ((now - this.#at) / MINUTE_MS) * this.allowance);
    this.#at = Math.max(this.#at, now);
  }
}
