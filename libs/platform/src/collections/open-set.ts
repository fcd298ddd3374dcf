/**
 * Unordered set of per-request objects. V8's `Set` leaks its old backing tables into old space under churn, which keeps finished
 * requests alive until a full collection. `delete` is O(n) and iteration copies: use it for at most some thousand members.
 * Measured in docs/performance.md, "What looks alive".
 */
export class OpenSet<T> implements Iterable<T> {
  readonly #members: T[] = [];

  get size(): number {
    return this.#members.length;
  }

  /** Adds a member. @param member must not be in the set yet; this is not checked */
  add(member: T): void {
    this.#members.push(member);
  }

  /** Removes a member. @returns whether it was one */
  delete(member: T): boolean {
    const place = this.#members.indexOf(member);
    if (place < 0) return false;
    const last = this.#members.pop();
    if (last !== undefined && place < this.#members.length) this.#members[place] = last;
    return true;
  }

  /** Iterates over a copy of the members, in no order; members may be removed meanwhile. */
  [Symbol.iterator](): Iterator<T> {
    return [...this.#members].values();
  }
}
