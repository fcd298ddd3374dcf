/** Places that one owner may have for each free place. */
const FOR_EACH_FREE = 3;

/**
 * Places that many owners share. An owner may take a place while it has fewer than three for each free one: the first owner gets
 * at most three quarters of all places, and the next one at most three quarters of the rest.
 */
export class FairPlaces {
  readonly #held = new Map<number, number>();
  #taken = 0;

  /**
   * @param most number of places
   * @param perOwner places per owner, however many are free; 0 = three for each free place
   */
  constructor(
    private readonly most: number,
    private readonly perOwner = 0,
  ) {}

  /** Takes a place. @returns false when the owner has its share or no place is free */
  take(owner: number): boolean {
    const held = this.#held.get(owner) ?? 0;
    const free = this.most - this.#taken;
    if (free <= 0 || held >= (this.perOwner > 0 ? this.perOwner : FOR_EACH_FREE * free)) return false;
    this.#held.set(owner, held + 1);
    this.#taken += 1;
    return true;
  }

  /** Returns one place. */
  leave(owner: number): void {
    const left = (this.#held.get(owner) ?? 0) - 1;
    this.#taken -= 1;
    if (left > 0) this.#held.set(owner, left);
    else this.#held.delete(owner);
  }
}
