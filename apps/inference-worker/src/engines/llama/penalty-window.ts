/** Penalties look at this many generated tokens. */
export const PENALTY_WINDOW = 4_096;

/** How often each of the newest values of a growing list occurs in it, without counting all of them again. */
export class WindowCounts<V> {
  readonly #counts = new Map<V, number>();
  #seen = 0;

  /** @param most values that are looked at, the newest ones. */
  constructor(private readonly most: number) {}

  /** @param values the same list each time; it only grows. */
  of(values: readonly V[]): ReadonlyMap<V, number> {
    for (; this.#seen < values.length; this.#seen += 1) {
      this.#add(values[this.#seen], 1);
      this.#add(values[this.#seen - this.most], -1);
    }
    return this.#counts;
  }

  #add(value: V | undefined, change: 1 | -1): void {
    if (value === undefined) return;
    const count = (this.#counts.get(value) ?? 0) + change;
    if (count === 0) this.#counts.delete(value);
    else this.#counts.set(value, count);
  }
}
