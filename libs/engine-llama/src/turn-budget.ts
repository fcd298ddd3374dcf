interface Waiter {
  readonly work: number;
  readonly admit: () => void;
}

/**
 * Shares this thread between callers with long synchronous work: in one turn of the event loop all of them together do a
 * bounded amount, in order of arrival, and everything else gets its turn in between.
 */
export class TurnBudget {
  readonly #waiting: Waiter[] = [];
  #spent = 0;
  #turning = false;

  /** @param perTurn amount of work that a turn may hold; a single larger piece gets a turn of its own. */
  constructor(private readonly perTurn: number) {}

  /** Resolves when work of this amount may begin; at once as a rule. The work must be done before anything else is awaited. */
  spend(work: number): Promise<void> | undefined {
    if (this.#waiting.length === 0 && this.#take(work)) return undefined;
    return new Promise((admit) => this.#waiting.push({ work, admit }));
  }

  #take(work: number): boolean {
    if (this.#spent > 0 && this.#spent + work > this.perTurn) return false;
    this.#spent += work;
    if (!this.#turning) setImmediate(() => this.#turn());
    this.#turning = true;
    return true;
  }

  #turn(): void {
    this.#turning = false;
    this.#spent = 0;
    for (let next = this.#waiting[0]; next && this.#take(next.work); next = this.#waiting[0]) {
      this.#waiting.shift();
      next.admit();
    }
  }
}
