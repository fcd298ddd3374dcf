/** Result of a reservation: `share_used` = the account or key has its full share, `full` = no memory is left. */
export type TakeResult = 'taken' | 'share_used' | 'full';

export interface MemorySharesOptions {
  /** Total, in bytes. */
  readonly bytes: number;
  /** Most of one account, in bytes. */
  readonly shareBytes: number;
  /** Most of one key, in bytes; absent = its account's share. */
  readonly keyBytes?: number;
}

/** A memory budget shared by all accounts, with a maximum for each account and key. */
export class MemoryShares {
  readonly #accounts = new Map<number, number>();
  readonly #keys = new Map<number, number>();
  #free: number;

  constructor(private readonly options: MemorySharesOptions) {
    this.#free = options.bytes;
  }

  /**
   * An empty reservation.
   * @param key absent = only the account's share applies
   */
  open(account: number, key?: number): MemoryReservation {
    return new MemoryReservation(this, { account, key });
  }

  take({ account, key }: MemoryOwner, bytes: number): TakeResult {
    const { shareBytes, keyBytes = shareBytes } = this.options;
    if (reserved(this.#accounts, account) + bytes > shareBytes) return 'share_used';
    if (key !== undefined && reserved(this.#keys, key) + bytes > keyBytes) return 'share_used';
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

const reserved = (owners: ReadonlyMap<number, number>, owner: number): number => owners.get(owner) ?? 0;

function add(owners: Map<number, number>, owner: number, bytes: number): void {
  const now = reserved(owners, owner) + bytes;
  if (now > 0) owners.set(owner, now);
  else owners.delete(owner);
}

/** The memory that one request has reserved. */
export class MemoryReservation {
  #bytes = 0;

  constructor(
    private readonly shares: MemoryShares,
    private readonly owner: MemoryOwner,
  ) {}

  /** Reserves more. @param bytes in addition to those reserved already */
  take(bytes: number): TakeResult {
    const taken = this.shares.take(this.owner, bytes);
    if (taken === 'taken') this.#bytes += bytes;
    return taken;
  }

  /** Changes the reservation to this size. */
  resize(bytes: number): TakeResult {
    if (bytes > this.#bytes) return this.take(bytes - this.#bytes);
    this.shrinkTo(bytes);
    return 'taken';
  }

  /** Releases all but this much. */
  shrinkTo(bytes: number): void {
    if (bytes >= this.#bytes) return;
    this.shares.giveBack(this.owner, this.#bytes - bytes);
    this.#bytes = bytes;
  }

  /** Releases everything. Further calls do nothing. */
  release(): void {
    this.shrinkTo(0);
  }
}
