/**
 * Unordered set of per-request objects. A `Set` whose members come and go replaces its backing table every few of them, and
 * each old table points to the next one. Once one of them is in old space, collections of the young generation take all later
 * ones for alive, and every request that they held, until a full collection. `delete` is O(n) and an iteration copies: use it
 * for thousands of members at most. Measured in docs/performance.md, "What looks alive".
 */
export class OpenSet<T> implements Iterable<T> {
  readonly #members: T[] = [];

  get size(): number {
    return this.#members.length;
  }

  /** @param member must not be a member yet: it is not looked for */
  add(member: T): void {
    this.#members.push(member);
  }

  /** @returns whether it was a member */
  delete(member: T): boolean {
    const place = this.#members.indexOf(member);
    if (place < 0) return false;
    const last = this.#members.pop();
    if (last !== undefined && place < this.#members.length) this.#members[place] = last;
    return true;
  }

  /** Iterates over the members of this moment, in no order; members may be removed meanwhile. */
  [Symbol.iterator](): Iterator<T> {
    return [...this.#members].values();
  }
}
