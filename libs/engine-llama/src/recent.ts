/** Remembers what was made last, so that repeated requests do not make it again. */
export class Recent<V> {
  readonly #values = new Map<string, V>();

  /** @param most values that are kept; the one that was not asked for longest goes. */
  constructor(private readonly most: number) {}

  get(key: string): V | undefined {
    const value = this.#values.get(key);
    if (value === undefined) return undefined;
    this.#values.delete(key);
    this.#values.set(key, value);
    return value;
  }

  /** @returns the value. */
  put(key: string, value: V): V {
    this.#values.set(key, value);
    const [oldest] = this.#values.keys();
    if (this.#values.size > this.most && oldest !== undefined) this.#values.delete(oldest);
    return value;
  }

  drop(key: string): void {
    this.#values.delete(key);
  }
}
