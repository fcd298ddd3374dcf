/**
 * Values by name, where they come and go with requests: a `Map` without what it does to collections of young garbage, see
 * `OpenSet`. Names are ids, never numbers in decimal, which an object would put first.
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

  /** @returns whether there was one */
  delete(name: string): boolean {
    if (this.#values[name] === undefined) return false;
    // The object is a dictionary from its first day: there is no shape that this would spoil.
    delete this.#values[name];
    this.#size -= 1;
    return true;
  }

  /** Those that are here now, oldest name first; they may leave while somebody goes over them. */
  values(): V[] {
    return Object.values(this.#values);
  }

  names(): string[] {
    return Object.keys(this.#values);
  }
}
