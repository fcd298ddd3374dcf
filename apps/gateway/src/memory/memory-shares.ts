/** What became of a wish for memory: `share_used` = the account has its share already, `full` = nobody can have more. */
export type Taken = 'taken' | 'share_used' | 'full';

export interface MemorySharesOptions {
  /** How much there is, in bytes. */
  readonly bytes: number;
  /** The most that one account may hold, in bytes. A key belongs to one account, so no key can hold more either. */
  readonly shareBytes: number;
}

/** Memory that all accounts share, of which each may hold a part at most. */
export class MemoryShares {
  readonly #held = new Map<number, number>();
  #free: number;

  constructor(private readonly options: MemorySharesOptions) {
    this.#free = options.bytes;
  }

  /** @param account whose memory it is. */
  open(account: number): MemoryHold {
    return new MemoryHold(this, account);
  }

  take(account: number, bytes: number): Taken {
    const held = (this.#held.get(account) ?? 0) + bytes;
    if (held > this.options.shareBytes) return 'share_used';
    if (bytes > this.#free) return 'full';
    this.#free -= bytes;
    this.#held.set(account, held);
    return 'taken';
  }

  giveBack(account: number, bytes: number): void {
    const held = (this.#held.get(account) ?? 0) - bytes;
    this.#free += bytes;
    if (held > 0) this.#held.set(account, held);
    else this.#held.delete(account);
  }
}

/** What one request holds of the shared memory. */
export class MemoryHold {
  #bytes = 0;

  constructor(
    private readonly shares: MemoryShares,
    private readonly account: number,
  ) {}

  /** @param bytes beyond what it holds already. */
  take(bytes: number): Taken {
    const taken = this.shares.take(this.account, bytes);
    if (taken === 'taken') this.#bytes += bytes;
    return taken;
  }

  /** Takes more or gives back, until it holds this much. */
  resize(bytes: number): Taken {
    if (bytes > this.#bytes) return this.take(bytes - this.#bytes);
    this.shrinkTo(bytes);
    return 'taken';
  }

  /** Gives back all but this much. */
  shrinkTo(bytes: number): void {
    if (bytes >= this.#bytes) return;
    this.shares.giveBack(this.account, this.#bytes - bytes);
    this.#bytes = bytes;
  }

  /** Gives back everything. Repeating it is harmless. */
  release(): void {
    this.shrinkTo(0);
  }
}
