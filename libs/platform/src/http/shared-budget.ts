/** Somebody who takes from a budget, and the most that they may hold of it at once. */
export interface BudgetShare {
  /** Unlike all other names in this budget: `account:7`, `address:192.0.2.1`. */
  readonly holder: string;
  readonly max: number;
}

/** A budget in bytes that many share. Nobody gets more than their share of it, so that one cannot use it up for the others. */
export class SharedBudget {
  #free: number;
  readonly #held = new Map<string, number>();

  /** @param bytes how much there is */
  constructor(readonly bytes: number) {
    this.#free = bytes;
  }

  /** Takes from the budget and from each share; false, with nothing taken, when one of them has not enough left. */
  take(bytes: number, shares: readonly BudgetShare[]): boolean {
    if (bytes > this.#free) return false;
    for (const { holder, max } of shares) if ((this.#held.get(holder) ?? 0) + bytes > max) return false;
    this.#free -= bytes;
    for (const { holder } of shares) this.#held.set(holder, (this.#held.get(holder) ?? 0) + bytes);
    return true;
  }

  /** Gives back what `take` took for the same shares. */
  giveBack(bytes: number, shares: readonly BudgetShare[]): void {
    this.#free += bytes;
    for (const { holder } of shares) {
      const left = (this.#held.get(holder) ?? 0) - bytes;
      if (left > 0) this.#held.set(holder, left);
      else this.#held.delete(holder);
    }
  }
}
