/** LRU cache. */
export class Recent<V> {
  readonly #values = new Map<string, V>();

  /** @param most number of values; the least recently used one is dropped. */
  constructor(private readonly most: number) {}

  get(key: string): V | undefined {
    const value = this.#values.get(key);
    if (value === undefined) return undefined;
    this.#values.delete(key);
    this.#values.set(key, value);
    return value;
  }

  /** Stores and returns a value. */
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
