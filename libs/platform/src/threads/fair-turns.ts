/** Owner of a piece of work. */
export interface Owner {
  readonly account: number;
  readonly key: number;
}

/** Bounds of a `FairTurns` queue. */
export interface FairTurnsOptions {
  /** Most waiting work of one key. */
  readonly perKey: number;
  readonly inAll: number;
}

/** A fair queue: accounts take turns, and so do the keys of an account, so that sending more gives no advantage. */
export class FairTurns<W> {
  /** In the order of their turns. */
  readonly #accounts = new Map<number, Map<number, W[]>>();
  #size = 0;

  constructor(private readonly options: FairTurnsOptions) {}

  get size(): number {
    return this.#size;
  }

  /**
   * Adds work. A full queue drops the latest work of the account that has most.
   * @returns the dropped work: none, that of another account, or this one.
   */
  add({ account, key }: Owner, work: W): W | undefined {
    const keys = this.#accounts.get(account) ?? new Map<number, W[]>();
    const waiting = keys.get(key) ?? [];
    if (waiting.length >= this.options.perKey) return work;
    let evicted: W | undefined;
    if (this.#size >= this.options.inAll) {
      evicted = this.#evictFor(countOf(keys));
      if (evicted === undefined) return work;
    }
    waiting.push(work);
    keys.set(key, waiting);
    this.#accounts.set(account, keys);
    this.#size += 1;
    return evicted;
  }

  /** Takes the next work of an account that has room; that account then comes last. */
  next(hasRoom: (account: number) => boolean): W | undefined {
    for (const [account, keys] of this.#accounts) {
      if (!hasRoom(account)) continue;
      this.#accounts.delete(account);
      const work = this.#take(keys);
      if (keys.size > 0) this.#accounts.set(account, keys);
      return work;
    }
    return undefined;
  }

  /** Removes all work. */
  *drain(): Iterable<W> {
    for (let work = this.next(() => true); work !== undefined; work = this.next(() => true)) yield work;
  }

  /** Drops the latest work of the account that has most, if that is more than `own` + 1. */
  #evictFor(own: number): W | undefined {
    const [, keys] = largest(this.#accounts, countOf, own + 1) ?? [];
    const [key, waiting] = (keys && largest(keys, ({ length }) => length, 0)) ?? [];
    if (!keys || !waiting || key === undefined) return undefined;
    const work = waiting.pop();
    if (waiting.length === 0) keys.delete(key);
    this.#size -= 1;
    return work;
  }

  #take(keys: Map<number, W[]>): W | undefined {
    for (const [key, waiting] of keys) {
      keys.delete(key);
      const work = waiting.shift();
      if (waiting.length > 0) keys.set(key, waiting);
      this.#size -= 1;
      return work;
    }
    return undefined;
  }
}

function countOf(keys: ReadonlyMap<number, readonly unknown[]>): number {
  let count = 0;
  for (const { length } of keys.values()) count += length;
  return count;
}

/** The largest entry that is larger than `least`. */
function largest<V>(entries: ReadonlyMap<number, V>, sizeOf: (value: V) => number, least: number): readonly [number, V] | undefined {
  let found: readonly [number, V] | undefined;
  let most = least;
  for (const entry of entries) {
    const size = sizeOf(entry[1]);
    if (size > most) [found, most] = [entry, size];
  }
  return found;
}
