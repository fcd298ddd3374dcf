import { randomToken } from '@slipway/platform';
import { type RefusedUsage, type StreamId, USAGE_RECORDS_MAX } from '@slipway/contracts';

/** Most different counts; further refused requests are only logged. */
const COUNTS_MAX = 5_000;

/** A refused request, as far as it is counted. */
export type RefusedRequest = Pick<RefusedUsage, 'acct' | 'key' | 'dep' | 'alias' | 'api' | 'status'>;

/** Counts refused requests until they are reported together. Counting one costs one map lookup. */
export class RefusedRequests {
  #counts = new Map<string, { readonly request: RefusedRequest; readonly started: number; requests: number }>();

  /** @param date milliseconds since the epoch */
  constructor(private readonly date: () => number) {}

  /** Counts one request. */
  add(request: RefusedRequest): void {
    const { key, dep = 0, alias = '', api, status } = request;
    const name = `${key} ${dep} ${alias} ${api} ${status}`;
    const count = this.#counts.get(name);
    if (count) count.requests += 1;
    else if (this.#counts.size < COUNTS_MAX) this.#counts.set(name, { request, started: this.date(), requests: 1 });
  }

  /** The counts since the last call, split into messages. */
  take(): RefusedUsage[][] {
    const counts = [...this.#counts.values()].map(({ request, started, requests }) => ({
      ...request,
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
