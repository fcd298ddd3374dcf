/**
 * Values of per-request objects by name: a `Map` that leaves nothing to the young generation's collections, see `OpenSet`.
 * Names are ids, never decimal numbers, which an object would list first. A change costs about 0.4 µs more than in a `Map`.
 */
export class OpenTable<V extends NonNullable<unknown>> {
  readonly #values = Object.create(null) as Record<string, V>;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(name: string): V | undefined {
    return this.#values[name];
  }

  set(name: string, value: V): void {
    if (this.#values[name] === undefined) this.#size += 1;
    this.#values[name] = value;
  }

  /** @returns whether the name had a value */
  delete(name: string): boolean {
    if (this.#values[name] === undefined) return false;
    // An object without a prototype is a dictionary from the start, so this costs it no fast shape.
    delete this.#values[name];
    this.#size -= 1;
    return true;
  }

  /** A copy of the values, oldest name first. */
  values(): V[] {
    return Object.values(this.#values);
  }

  names(): string[] {
    return Object.keys(this.#values);
  }
}
