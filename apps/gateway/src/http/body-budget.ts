/** Bounds what all bodies together may hold in memory while they are read and parsed. */
export class BodyBudget {
  #free: number;

  /** @param bytes how much there is. */
  constructor(bytes: number) {
    this.#free = bytes;
  }

  /** Takes from the budget; false when there is not enough left. */
  take(bytes: number): boolean {
    if (bytes > this.#free) return false;
    this.#free -= bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.#free += bytes;
  }
}
