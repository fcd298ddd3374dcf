/** Starts without an answer that one worker may have from this gateway: a burst is sent so far at once. */
const MOST = 64;
/** As few as that keep a worker busy while answers travel. */
const LEAST = 8;
/** A worker that keeps up answers a start within some turns of its event loop and the time that it waits for company, in milliseconds. */
const PROMPT_MS = 20;
/** Interval of adjustments, in milliseconds. */
const LOOK_MS = 100;
const SHRINK = 0.75;
const GROW = 8;

/**
 * Bounds the starts that a worker has not answered yet. A worker, or a gateway, with more work than its CPU can do answers
 * late: starts then wait here, where they are counted and can be refused, in place of queues that nobody sees. The bound shrinks
 * while even the quickest answer is late, and grows while all of it is used.
 */
export class StartWindow {
  #open = 0;
  #size = MOST;
  #quickestMs = Number.POSITIVE_INFINITY;
  #wasFull = false;
  #lookedAt = Number.NEGATIVE_INFINITY;

  get isFull(): boolean {
    return this.#open >= this.#size;
  }

  /** A start was sent. */
  opened(): void {
    this.#open += 1;
    this.#wasFull ||= this.isFull;
  }

  /** A start ended without an answer. */
  closed(): void {
    this.#open -= 1;
  }

  /** The worker answered a start. @param ms time since it was sent; null where its size alone makes it slow */
  answered(ms: number | null, now: number): void {
    this.#open -= 1;
    if (ms !== null) this.#quickestMs = Math.min(this.#quickestMs, ms);
    if (now - this.#lookedAt < LOOK_MS) return;
    this.#adjust();
    this.#lookedAt = now;
  }

  #adjust(): void {
    if (Number.isFinite(this.#quickestMs) && this.#quickestMs > PROMPT_MS) this.#size = Math.max(LEAST, Math.floor(this.#size * SHRINK));
    else if (this.#wasFull) this.#size = Math.min(MOST, this.#size + GROW);
    this.#quickestMs = Number.POSITIVE_INFINITY;
    this.#wasFull = false;
  }
}
