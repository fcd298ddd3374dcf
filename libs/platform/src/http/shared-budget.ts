/** An owner of a part of a budget, and the most that it may have at once. */
export interface BudgetShare {
  /** Unique name in the budget: `account:7`, `address:192.0.2.1`. */
  readonly owner: string;
  readonly max: number;
}

/** A budget in bytes for many owners, none of which gets more than its share. */
export class SharedBudget {
  #free: number;
  readonly #held = new Map<string, number>();

  /** @param bytes size of the budget */
  constructor(readonly bytes: number) {
    this.#free = bytes;
  }

  /** Takes bytes from the budget and from each share; false, with nothing taken, when one of them has too few left. */
  take(bytes: number, shares: readonly BudgetShare[]): boolean {
    if (bytes > this.#free) return false;
    for (const { owner, max } of shares) if ((this.#held.get(owner) ?? 0) + bytes > max) return false;
    this.#free -= bytes;
    for (const { owner } of shares) this.#held.set(owner, (this.#held.get(owner) ?? 0) + bytes);
    return true;
  }

  /** Returns bytes taken for the same shares. */
  giveBack(bytes: number, shares: readonly BudgetShare[]): void {
    this.#free += bytes;
    for (const { owner } of shares) {
      const left = (this.#held.get(owner) ?? 0) - bytes;
      if (left > 0) this.#held.set(owner, left);
      else this.#held.delete(owner);
    }
  }
}
