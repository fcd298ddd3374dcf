/** Places that one holder may have for each that is free. */
const FOR_EACH_FREE = 3;

/**
 * Places that many holders share. One may take them while it has fewer than three for each that is free: alone it gets three
 * quarters of them, and where others have some it gets as much of what is left.
 */
export class FairPlaces {
  readonly #held = new Map<number, number>();
  #taken = 0;

  /**
   * @param most places there are
   * @param perHolder the most that one holder may have, whatever is free; 0 = three for each that is free
   */
  constructor(
    private readonly most: number,
    private readonly perHolder = 0,
  ) {}

  /** @returns false, with nothing taken, where the holder has its share or there are no places */
  take(holder: number): boolean {
    const held = this.#held.get(holder) ?? 0;
    const free = this.most - this.#taken;
    if (free <= 0 || held >= (this.perHolder > 0 ? this.perHolder : FOR_EACH_FREE * free)) return false;
    this.#held.set(holder, held + 1);
    this.#taken += 1;
    return true;
  }

  /** Gives back one place that was taken. */
  leave(holder: number): void {
    const left = (this.#held.get(holder) ?? 0) - 1;
    this.#taken -= 1;
    if (left > 0) this.#held.set(holder, left);
    else this.#held.delete(holder);
  }
}
