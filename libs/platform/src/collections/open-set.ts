/**
 * What is open right now, where things come and go with requests. A `Set` would do, but whenever it makes itself a new table
 * the old one goes on pointing to the new: once one of them has grown old, all later ones, and through them every request
 * that they ever held, look alive to V8's collections of young garbage, until a full one. Removing searches: this is for
 * thousands, not for millions.
 */
export class OpenSet<T> implements Iterable<T> {
  readonly #members: T[] = [];

  get size(): number {
    return this.#members.length;
  }

  /** @param member one that is not here yet. */
  add(member: T): void {
    this.#members.push(member);
  }

  /** @returns whether it was here */
  delete(member: T): boolean {
    const place = this.#members.indexOf(member);
    if (place < 0) return false;
    const last = this.#members.pop();
    if (last !== undefined && place < this.#members.length) this.#members[place] = last;
    return true;
  }

  /** Goes over those that are here now, in no particular order; they may leave meanwhile. */
  [Symbol.iterator](): Iterator<T> {
    return [...this.#members].values();
  }
}
