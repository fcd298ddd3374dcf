/**
 * Per-request objects by name: a `Map` without the leak of V8's `Map`, see `OpenSet`.
 * Names must not be decimal numbers, which an object lists first. A change costs about 0.4 µs more than in a `Map`.
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

  /** Removes a value. @returns whether there was one */
  delete(name: string): boolean {
    if (this.#values[name] === undefined) return false;
    // An object without a prototype is in dictionary mode anyway, so `delete` costs nothing more.
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
