const MINUTE_MS = 60_000;

/** A leaky bucket: holds one minute's allowance and drains by one allowance per minute, so bursts up to the limit pass. */
export class LeakyBucket {
  #taken = 0;
  #at = 0;

  constructor(private allowance: number) {}

  get limit(): number {
    return this.allowance;
  }

  /** Changes the limit. What is taken stays taken. */
  resize(allowance: number, now: number): void {
    this.#drain(now);
    this.allowance = allowance;
  }

  /** The level now. It can exceed the limit: other gateways take at the same time, and requests may use more than reserved. */
  taken(now: number): number {
    this.#drain(now);
    return this.#taken;
  }

  /** Milliseconds until this amount fits; 0 = now. An amount above the limit fits into an empty bucket. */
  waitFor(amount: number, now: number): number {
    const excess = this.taken(now) + Math.min(amount, this.allowance) - this.allowance;
    return excess <= 0 ? 0 : (excess / this.allowance) * MINUTE_MS;
  }

  /** Milliseconds until the bucket is empty. */
  emptyIn(now: number): number {
    return (this.taken(now) / this.allowance) * MINUTE_MS;
  }

  /** Adds to the level. Negative amounts give back, at most what is taken. */
  add(amount: number, now: number): void {
    this.#drain(now);
    if (Number.isFinite(this.allowance)) this.#taken = Math.max(0, this.#taken + amount);
  }

  /** Raises the level to at least this amount. */
  raise(taken: number, now: number): void {
    this.#drain(now);
    if (Number.isFinite(this.allowance)) this.#taken = Math.max(this.#taken, taken);
  }

  #drain(now: number): void {
    if (now > this.#at) this.#taken = Math.max(0, this.#taken - ((now - this.#at) / MINUTE_MS) * this.allowance);
    this.#at = Math.max(this.#at, now);
  }
}
