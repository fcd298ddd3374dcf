import { ConflictError, type ValueBucket } from '@slipway/platform';
import { z } from 'zod';

/** Values that were stored one after the other, which are removed together. */
const Span = z.object({
  /** When it began, in milliseconds since the epoch. */
  since: z.number(),
  /** All of its values have at least this number in the store. */
  from: z.number(),
  bytes: z.number(),
});
type Span = z.output<typeof Span>;
const Ledger = z.object({ spans: z.array(Span) });

/** Share of the bound at which a span ends, and the next one begins. */
const SPAN_SHARE = 1 / 16;
/** Time after which a span ends, in milliseconds. */
const SPAN_MS = 300_000;
/** Attempts to write the ledger while other gateways write it too. */
const ATTEMPTS = 16;
/** Most accounts whose ledger is remembered. */
const REMEMBERED_MAX = 10_000;

export interface AccountBoundsOptions {
  readonly bucket: Pick<ValueBucket, 'get' | 'getCertain' | 'put' | 'remove'>;
  /** Most bytes of one account. */
  readonly bytesMax: number;
  /** Bytes that are noted ahead, so that small values do not write the ledger each. */
  readonly aheadBytes: number;
  /** Lifetime of a value, in milliseconds. */
  readonly ageMs: number;
  /** In milliseconds since the epoch. */
  readonly now?: () => number;
}

/** A ledger with its number in the store; 0 = there is none. */
interface Known {
  readonly spans: readonly Span[];
  readonly seq: number;
}

interface Queue {
  /** Bytes that the next write adds, and who waits for it. */
  bytes: number;
  waiting: { resolve: () => void; reject: (error: unknown) => void }[];
}

/** Bytes that are noted and not used yet. */
interface Ahead {
  bytes: number;
  /** When they no longer count, in milliseconds since the epoch. */
  readonly until: number;
}

const ledgerKey = (account: number): string => `use.${account}`;
/** Keys of all values of an account. */
export const valuesOf = (account: number): string => `r.${account}.>`;

const sum = (spans: readonly Span[]): number => spans.reduce((total, { bytes }) => total + bytes, 0);

/**
 * Bounds what each account stores, over all gateways: writes are noted first, in a ledger of the account that gateways change one
 * after the other. Above the bound the oldest values are removed, a sixteenth of the bound at a time. Removed single values count
 * until their time is over, and so does what a gateway notes ahead, by which an account may also exceed the bound.
 */
export class AccountBounds {
  readonly #known = new Map<number, Known>();
  readonly #queues = new Map<number, Queue>();
  readonly #ahead = new Map<number, Ahead>();

  constructor(private readonly options: AccountBoundsOptions) {}

  /** Makes room for bytes that are about to be written. @throws an error of the bucket, or when other gateways wrote all the time */
  reserve(account: number, bytes: number): Promise<void> {
    const ahead = this.#ahead.get(account);
    if (ahead && ahead.bytes >= bytes && this.#now() < ahead.until) {
      ahead.bytes -= bytes;
      return Promise.resolve();
    }
    const queue = this.#queues.get(account) ?? { bytes: 0, waiting: [] };
    queue.bytes += bytes;
    const done = new Promise<void>((resolve, reject) => queue.waiting.push({ resolve, reject }));
    if (!this.#queues.has(account)) {
      this.#queues.set(account, queue);
      void this.#work(account, queue);
    }
    return done;
  }

  /** Forgets an account and its ledger. */
  async forget(account: number): Promise<void> {
    this.#known.delete(account);
    this.#ahead.delete(account);
    await this.options.bucket.remove(ledgerKey(account));
  }

  /** Writes the ledger until nothing waits; what arrives meanwhile is written together. */
  async #work(account: number, queue: Queue): Promise<void> {
    while (queue.waiting.length > 0) {
      const { bytes, waiting } = queue;
      queue.bytes = 0;
      queue.waiting = [];
      try {
        const { aheadBytes } = this.options;
        await this.#note(account, bytes + aheadBytes);
        this.#keepAhead(account, aheadBytes);
        for (const { resolve } of waiting) resolve();
      } catch (error) {
        for (const { reject } of waiting) reject(error);
      }
    }
    this.#queues.delete(account);
  }

  #keepAhead(account: number, bytes: number): void {
    this.#ahead.delete(account);
    this.#ahead.set(account, { bytes, until: this.#now() + SPAN_MS });
    const [oldest] = this.#ahead.keys();
    if (this.#ahead.size > REMEMBERED_MAX && oldest !== undefined) this.#ahead.delete(oldest);
  }

  async #note(account: number, bytes: number): Promise<void> {
    const { bucket, bytesMax } = this.options;
    for (let attempt = 1; ; attempt += 1) {
      const known = this.#known.get(account) ?? (await this.#read(account, attempt > 1));
      const live = this.#live(known.spans);
      const kept = fitting(live, bytesMax - bytes);
      const spans = this.#with(kept, bytes, known.seq + 1);
      try {
        const seq = await bucket.put(ledgerKey(account), Buffer.from(JSON.stringify({ spans })), { expectedSeq: known.seq });
        this.#remember(account, { spans, seq });
      } catch (error) {
        this.#known.delete(account);
        if (!(error instanceof ConflictError) || attempt === ATTEMPTS) throw error;
        continue;
      }
      const [first] = spans;
      if (kept.length < live.length && first) await bucket.remove(valuesOf(account), first.from);
      return;
    }
  }

  async #read(account: number, isCertain: boolean): Promise<Known> {
    const { bucket } = this.options;
    const found = await (isCertain ? bucket.getCertain(ledgerKey(account)) : bucket.get(ledgerKey(account)));
    if (!found) return { spans: [], seq: 0 };
    const { spans } = Ledger.parse(JSON.parse(Buffer.from(found.bytes).toString()));
    return { spans, seq: found.seq };
  }

  #live(spans: readonly Span[]): readonly Span[] {
    const oldest = this.#now() - this.options.ageMs - SPAN_MS;
    return spans.filter(({ since }) => since > oldest);
  }

  /** The spans with further bytes. @param from the number from which a new span counts */
  #with(spans: readonly Span[], bytes: number, from: number): readonly Span[] {
    const now = this.#now();
    const last = spans.at(-1);
    const isOpen = last && last.bytes < this.options.bytesMax * SPAN_SHARE && now - last.since < SPAN_MS;
    return isOpen ? [...spans.slice(0, -1), { ...last, bytes: last.bytes + bytes }] : [...spans, { since: now, from, bytes }];
  }

  #remember(account: number, known: Known): void {
    this.#known.delete(account);
    this.#known.set(account, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > REMEMBERED_MAX && oldest !== undefined) this.#known.delete(oldest);
  }

  #now(): number {
    return (this.options.now ?? Date.now)();
  }
}

/** The newest spans that fit into so many bytes. */
function fitting(spans: readonly Span[], bytes: number): readonly Span[] {
  let first = 0;
  for (let left = sum(spans); left > bytes && first < spans.length; first += 1) left -= spans[first]?.bytes ?? 0;
  return spans.slice(first);
}
