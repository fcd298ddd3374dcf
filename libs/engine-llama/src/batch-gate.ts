interface Waiting {
  readonly tokens: number;
  readonly enter: () => void;
}

/**
 * Makes batches of steps, and separates them from changes of sequences.
 *
 * A step that is queued while a batch is computed would be a batch of its own or of those that came with it, and two running answers
 * would never be computed together: node-llama-cpp looks for more steps before the callers of the last ones have theirs ready. So a
 * step waits until the batch before it has ended, and one turn of the event loop for those that were in it.
 *
 * A change needs the context's lock, which the library keeps as long as any sequence queues a step. So it runs between two batches.
 */
export class BatchGate {
  #changes = 0;
  #running = 0;
  /** Steps of the batch that runs, or ran last. */
  #together = 0;
  #opens = false;
  #waiting: Waiting[] = [];

  /** @param size tokens that are computed at once; steps that do not fit into a batch wait for the next one */
  constructor(private readonly size: number) {}

  /**
   * Runs an evaluation together with the others that wait.
   * @param tokens how many it computes
   */
  async step<T>(tokens: number, evaluate: () => Promise<T>): Promise<T> {
    if (this.#running > 0 || this.#changes > 0 || this.#opens) {
      await new Promise<void>((enter) => {
        this.#waiting.push({ tokens, enter });
      });
    } else this.#enter();
    try {
      return await evaluate();
    } finally {
      this.#running -= 1;
      this.#openSoon();
    }
  }

  /** Runs a change of a sequence that is not being evaluated. */
  async change(change: () => Promise<void>): Promise<void> {
    this.#changes += 1;
    try {
      await change();
    } finally {
      this.#changes -= 1;
      this.#openSoon();
    }
  }

  #enter(): void {
    if (this.#running === 0) this.#together = 0;
    this.#running += 1;
    this.#together += 1;
  }

  #openSoon(): void {
    if (this.#running > 0 || this.#changes > 0 || this.#opens) return;
    // An answer that is alone need not wait for itself.
    if (this.#waiting.length === 0 && this.#together <= 1) return;
    this.#opens = true;
    setImmediate(() => {
      this.#opens = false;
      if (this.#changes === 0) this.#open();
    });
  }

  /** Answers first: a long prompt shall not hold them up. */
  #open(): void {
    const left: Waiting[] = [];
    let room = this.size;
    for (const isAnswer of [true, false]) {
      for (const step of this.#waiting) {
        if ((step.tokens === 1) !== isAnswer) continue;
        if (step.tokens > room && this.#running > 0) {
          left.push(step);
          continue;
        }
        room -= step.tokens;
        this.#enter();
        step.enter();
      }
    }
    this.#waiting = left;
  }
}
