/** What became of a wish for memory: `share_used` = the account or the key has its share already, `full` = nobody can have more. */
export type Taken = 'taken' | 'share_used' | 'full';

export interface MemorySharesOptions {
  /** How much there is, in bytes. */
  readonly bytes: number;
  /** The most that one account may hold, in bytes. */
  readonly shareBytes: number;
  /** The most that one key may hold of its account's share, in bytes; absent = all of it. */
  readonly keyBytes?: number;
}

/** Memory that all accounts share, of which each may hold a part at most, and each key of it a part of that. */
export class MemoryShares {
  readonly #accounts = new Map<number, number>();
  readonly #keys = new Map<number, number>();
  #free: number;

  constructor(private readonly options: MemorySharesOptions) {
    this.#free = options.bytes;
  }

  /**
   * @param account whose memory it is
   * @param key that it is used with; absent = no key's share is looked at
   */
  open(account: number, key?: number): MemoryHold {
    return new MemoryHold(this, { account, key });
  }

  take({ account, key }: MemoryOwner, bytes: number): Taken {
    const { shareBytes, keyBytes = shareBytes } = this.options;
    if (held(this.#accounts, account) + bytes > shareBytes) return 'share_used';
    if (key !== undefined && held(this.#keys, key) + bytes > keyBytes) return 'share_used';
    if (bytes > this.#free) return 'full';
    this.#change({ account, key }, bytes);
    return 'taken';
  }

  giveBack(owner: MemoryOwner, bytes: number): void {
    this.#change(owner, -bytes);
  }

  #change({ account, key }: MemoryOwner, bytes: number): void {
    this.#free -= bytes;
    add(this.#accounts, account, bytes);
    if (key !== undefined) add(this.#keys, key, bytes);
  }
}

interface MemoryOwner {
  readonly account: number;
  readonly key: number | undefined;
}

const held = (holders: ReadonlyMap<number, number>, holder: number): number => holders.get(holder) ?? 0;

function add(holders: Map<number, number>, holder: number, bytes: number): void {
  const now = held(holders, holder) + bytes;
  if (now > 0) holders.set(holder, now);
  else holders.delete(holder);
}

/** What one request holds of the shared memory. */
export class MemoryHold {
  #bytes = 0;

  constructor(
    private readonly shares: MemoryShares,
    private readonly owner: MemoryOwner,
  ) {}

  /** @param bytes beyond what it holds already. */
  take(bytes: number): Taken {
    const taken = this.shares.take(this.owner, bytes);
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
    this.shares.giveBack(this.owner, this.#bytes - bytes);
    this.#bytes = bytes;
  }

  /** Gives back everything. Repeating it is harmless. */
  release(): void {
    this.shrinkTo(0);
  }
}
