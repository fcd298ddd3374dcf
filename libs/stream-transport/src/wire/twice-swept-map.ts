/** A map whose entries expire between one and two intervals after they were last set. */
export class TwiceSweptMap<K, V> {
  #young = new Map<K, V>();
  #old = new Map<K, V>();
  #sweptAt: number;

  readonly #intervalMs: number;

  constructor(intervalMs: number, now: number) {
    this.#intervalMs = intervalMs;
    this.#sweptAt = now;
  }

  get(key: K): V | undefined {
    return this.#young.get(key) ?? this.#old.get(key);
  }

  set(key: K, value: V): void {
    this.#young.set(key, value);
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  sweep(now: number): void {
    if (now - this.#sweptAt < this.#intervalMs) return;
    this.#sweptAt = now;
    this.#old = this.#young;
    this.#young = new Map();
  }
}
