/** Whose a piece of work is. */
export interface Owner {
  readonly account: number;
  readonly key: number;
}

export interface FairTurnsOptions {
  /** Most that may wait for one key. */
  readonly perKey: number;
  readonly inAll: number;
}

/** Work that waits. Accounts take turns, and within an account its keys: nobody gets ahead by sending more. */
export class FairTurns<W> {
  /** In the order of their turns. */
  readonly #accounts = new Map<number, Map<number, W[]>>();
  #size = 0;

  constructor(private readonly options: FairTurnsOptions) {}

  get size(): number {
    return this.#size;
  }

  /** @returns false where too much waits already. */
  add({ account, key }: Owner, work: W): boolean {
    const keys = this.#accounts.get(account) ?? new Map<number, W[]>();
    const waiting = keys.get(key) ?? [];
    if (this.#size >= this.options.inAll || waiting.length >= this.options.perKey) return false;
    waiting.push(work);
    keys.set(key, waiting);
    this.#accounts.set(account, keys);
    this.#size += 1;
    return true;
  }

  /** The next one of an account for which there is room, which then waits behind all others. */
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

  /** Takes everything out. */
  *drain(): Iterable<W> {
    for (let work = this.next(() => true); work !== undefined; work = this.next(() => true)) yield work;
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
