export interface ReadSharesOptions {
  /**
   * What all accounts together may have read beyond their free parts, in bytes per second; those that want it share it evenly.
   * An account that is alone is not bounded.
   */
  readonly bytesPerS: number;
  /** What one account may have read besides, in bytes per second. */
  readonly freeBytesPerS: number;
  /** What one account may have read at once before it waits, in bytes. */
  readonly burstBytes: number;
  /** A clock in milliseconds; the usual one unless a test has its own. */
  readonly now?: () => number;
}

/** One reader of one account. */
export interface Pace {
  /**
   * Counts what was read.
   * @param inside true where it ended inside an event. Its reader then goes on before the others of its account: large events
   * that were completed one shortly after the other would keep the event loop for as long as all of them take.
   * @param goOn called once when more may be read; never from within this call.
   * @returns false where nothing more may be read before `goOn` is called.
   */
  take(bytes: number, inside: boolean, goOn: () => void): boolean;
}

interface Share {
  /** Bytes read beyond what time has paid for. */
  debt: number;
  /** When time paid last. */
  paidAt: number;
  /** When it had something read. */
  readAt: number;
  readonly waiting: (() => void)[];
}

const TICK_MS = 10;
/** Weight of a byte of an event that comes in several pieces: the whole event is copied and written again, here and by the relay. */
const LARGE_EVENT_WEIGHT = 4;
/** Time without a read after which an account counts as idle, in milliseconds. */
const ACTIVE_MS = 1_000;
/** Most idle accounts that are kept. */
const IDLE_SHARES_MAX = 1_000;

/**
 * Divides reading among accounts. The answers of all engines are read in one event loop and sent over one connection, so one fast
 * engine would delay the tokens of all accounts. An account beyond its share waits until its engines' connections fill up.
 */
export class ReadShares {
  readonly #shares = new Map<number | null, Share>();
  readonly #now: () => number;
  #timer: NodeJS.Timeout | undefined;
  #tickedAt = 0;

  constructor(private readonly options: ReadSharesOptions) {
    this.#now = options.now ?? (() => performance.now());
  }

  /** Accounts that are remembered, for tests. */
  get size(): number {
    return this.#shares.size;
  }

  /** @param account whose engines are read; null = none */
  paceOf(account: number | null): Pace {
    const share = this.#shareOf(account);
    return {
      take: (bytes, inside, goOn) => this.#take(share, inside ? LARGE_EVENT_WEIGHT * bytes : bytes) || this.#wait(share, inside, goOn),
    };
  }

  #take(share: Share, bytes: number): boolean {
    share.readAt = this.#pay(share, 0);
    share.debt += bytes;
    return share.waiting.length === 0 && (share.debt <= this.options.burstBytes || this.#isAlone(share));
  }

  /** Whether no other account is read at the moment; then this one's debt is cleared. */
  #isAlone(share: Share): boolean {
    for (const other of this.#shares.values()) if (other !== share && other.readAt > share.readAt - ACTIVE_MS) return false;
    share.debt = 0;
    return true;
  }

  #wait(share: Share, inside: boolean, goOn: () => void): boolean {
    if (inside) share.waiting.unshift(goOn);
    else share.waiting.push(goOn);
    if (this.#timer === undefined) {
      this.#tickedAt = this.#now();
      this.#timer = setInterval(() => this.#tick(), TICK_MS).unref();
    }
    return false;
  }

  #tick(): void {
    const now = this.#now();
    const waiting = [...this.#shares.values()].filter((share) => share.waiting.length > 0);
    const part = (this.options.bytesPerS * (now - this.#tickedAt)) / 1_000 / waiting.length;
    this.#tickedAt = now;
    for (const share of waiting) {
      this.#pay(share, part);
      this.#letGo(share);
    }
    if (waiting.some((share) => share.waiting.length > 0)) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** A reader that goes on reads at once, and may wait again before this returns. */
  #letGo(share: Share): void {
    for (let left = share.waiting.length; left > 0 && share.debt <= this.options.burstBytes; left -= 1) share.waiting.shift()?.();
  }

  /** @returns the time. */
  #pay(share: Share, more: number): number {
    const now = this.#now();
    share.debt = Math.max(0, share.debt - more - (this.options.freeBytesPerS * (now - share.paidAt)) / 1_000);
    share.paidAt = now;
    return now;
  }

  #shareOf(account: number | null): Share {
    const known = this.#shares.get(account);
    if (known) return known;
    if (this.#shares.size >= IDLE_SHARES_MAX) this.#forgetIdle();
    const share = { debt: 0, paidAt: this.#now(), readAt: Number.NEGATIVE_INFINITY, waiting: [] };
    this.#shares.set(account, share);
    return share;
  }

  #forgetIdle(): void {
    for (const [account, share] of this.#shares) {
      this.#pay(share, 0);
      if (share.debt === 0 && share.waiting.length === 0) this.#shares.delete(account);
    }
  }
}
