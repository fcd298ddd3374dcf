/**
 * Separates evaluations from changes of sequences. node-llama-cpp evaluates in a loop that keeps the context's lock as long as any
 * sequence queues a step, so with two running answers a third sequence could not drop its old tokens before both have ended.
 * Every caller therefore asks before each step and waits while a change is pending: the loop ends, and the change gets the lock.
 */
export class BatchGate {
  #changes = 0;
  #waiting: (() => void)[] = [];

  /** Resolves when the next step may be evaluated, usually at once. */
  async pass(): Promise<void> {
    while (this.#changes > 0) {
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
  }

  /** Runs a change of a sequence that is not being evaluated. */
  async change(change: () => Promise<void>): Promise<void> {
    this.#changes += 1;
    try {
      await change();
    } finally {
      this.#changes -= 1;
      if (this.#changes === 0) for (const resolve of this.#waiting.splice(0)) resolve();
    }
  }
}
