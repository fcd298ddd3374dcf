interface Waiter {
  readonly work: number;
  readonly admit: () => void;
}

/**
 * Shares the event loop between callers with long synchronous work. All callers together do a bounded amount of work per
 * turn of the event loop, first come, first served.
 */
export class TurnBudget {
  readonly #waiting: Waiter[] = [];
  #spent = 0;
  #turning = false;

  readonly #perTurn: number;

  /** @param perTurn work that fits into one turn; a larger piece gets a turn of its own. */
  constructor(perTurn: number) {
    this.#perTurn = perTurn;
  }

  /** Resolves when this amount of work may begin; undefined = now. Do the work before awaiting anything else. */
  spend(work: number): Promise<void> | undefined {
    if (this.#waiting.length === 0 && this.#take(work)) return undefined;
    return new Promise((admit) => this.#waiting.push({ work, admit }));
  }

  #take(work: number): boolean {
    if (this.#spent > 0 && this.#spent + work > this.#perTurn) return false;
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
