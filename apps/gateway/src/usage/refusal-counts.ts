import { randomToken } from '@slipway/platform';
import { type RefusedUsage, type StreamId, USAGE_RECORDS_MAX } from '@slipway/contracts';

/** Different counts that are held at most; a refusal beyond them is in the log alone. */
const COUNTS_MAX = 5_000;

/** Who was refused what. */
export type Refusal = Pick<RefusedUsage, 'acct' | 'key' | 'dep' | 'alias' | 'api' | 'status'>;

/** Counts requests that were refused, until they are told together: a refusal costs one look into a map. */
export class RefusalCounts {
  #counts = new Map<string, { readonly refusal: Refusal; readonly started: number; requests: number }>();

  /** @param date milliseconds since the epoch */
  constructor(private readonly date: () => number) {}

  /** Counts one. */
  add(refusal: Refusal): void {
    const { key, dep, alias = '', api, status } = refusal;
    const name = `${key} ${dep} ${alias} ${api} ${status}`;
    const count = this.#counts.get(name);
    if (count) count.requests += 1;
    else if (this.#counts.size < COUNTS_MAX) this.#counts.set(name, { refusal, started: this.date(), requests: 1 });
  }

  /** All that was counted since the last time, in as many parts as messages are needed for it. */
  take(): RefusedUsage[][] {
    const counts = [...this.#counts.values()].map(({ refusal, started, requests }) => ({
      ...refusal,
      id: randomToken() as StreamId,
      started,
      requests,
    }));
    this.#counts = new Map();
    return Array.from({ length: Math.ceil(counts.length / USAGE_RECORDS_MAX) }, (_, i) =>
      counts.slice(i * USAGE_RECORDS_MAX, (i + 1) * USAGE_RECORDS_MAX),
    );
  }
}
