/** Slowest transfer, on average over each window of time. */
export interface RateFloor {
  readonly bytesPerSecond: number;
  /** Length of a window in milliseconds. */
  readonly windowMs: number;
}

/** Measures how fast a client sends. Time in which the client is held back does not count. */
export class TransferRate {
  #since: number;
  #bytes = 0;
  #heldMs = 0;
  #heldSince: number | null = null;

  /** @param now milliseconds of a clock that never jumps */
  constructor(
    private readonly floor: RateFloor,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#since = now();
  }

  /** Counts bytes that arrived. */
  note(bytes: number): void {
    this.#bytes += bytes;
  }

  /** The client is held back from now on, because what it sent is not taken yet. */
  hold(): void {
    this.#heldSince ??= this.now();
  }

  /** The client may go on. */
  release(): void {
    if (this.#heldSince !== null) this.#heldMs += this.now() - this.#heldSince;
    this.#heldSince = null;
  }

  /** True once for each window that ended below the floor. */
  isBelow(): boolean {
    const now = this.now();
    const held = this.#heldMs + (this.#heldSince === null ? 0 : now - this.#heldSince);
    const awaitedMs = now - this.#since - held;
    if (awaitedMs < this.floor.windowMs) return false;
    const isBelow = this.#bytes * 1_000 < this.floor.bytesPerSecond * awaitedMs;
    [this.#since, this.#bytes, this.#heldMs] = [now, 0, 0];
    if (this.#heldSince !== null) this.#heldSince = now;
    return isBelow;
  }
}
