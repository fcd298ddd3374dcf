const FAILURES_TO_OPEN = 5;
const OPEN_MS = 5_000;

/** Circuit breaker of one worker: five failed starts in a row open it for 5 s, then one trial start decides. */
export class Breaker {
  #failures = 0;
  #openUntil = 0;
  #trial = false;

  /** True when a start may be sent now. */
  allows(now: number): boolean {
    return this.#failures < FAILURES_TO_OPEN || (now >= this.#openUntil && !this.#trial);
  }

  /** A start was sent. */
  started(): void {
    if (this.#failures >= FAILURES_TO_OPEN) this.#trial = true;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#trial = false;
  }

  failed(now: number): void {
    this.#failures += 1;
    this.#trial = false;
    this.#openUntil = now + OPEN_MS;
  }

  /** The start proved nothing about the worker: it was busy, or the client left. */
  undecided(): void {
    this.#trial = false;
  }
}
