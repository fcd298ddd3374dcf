/**
 * Keeps evaluations apart from changes to what sequences hold. llama.cpp's binding evaluates in a loop that keeps
 * the lock of the context for as long as any sequence queues another step, so with two answers under way a third
 * sequence would not get to forget its old tokens before both have ended. Everyone therefore asks before each
 * step, and waits while a change is under way: the loop runs dry, and the change gets the lock.
 */
export class BatchGate {
  #changes = 0;
  #waiting: (() => void)[] = [];

  /** Resolves when the next step may be evaluated; at once as a rule. */
  async pass(): Promise<void> {
    while (this.#changes > 0) {
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
  }

  /** Runs a change to a sequence that nobody evaluates. */
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
