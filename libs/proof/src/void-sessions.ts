import type { SessionFeedRecord, SessionId } from '@slipway/contracts';
import type { FeedRenewal, FeedSink } from '@slipway/feed';

/** Sessions whose tokens are void before their expiry, from the session feed. */
export class VoidSessions implements FeedSink<SessionFeedRecord> {
  #records = new Map<string, SessionFeedRecord>();

  /** @param now milliseconds since the epoch */
  constructor(private readonly now: () => number = Date.now) {}

  get size(): number {
    return this.#records.size;
  }

  renew(): FeedRenewal<SessionFeedRecord> {
    const records = new Map<string, SessionFeedRecord>();
    return {
      put: (_id, record) => void records.set(record.id, record),
      swap: () => {
        this.#records = records;
      },
    };
  }

  put(_id: string, record: SessionFeedRecord): void {
    this.#forgetExpired();
    this.#records.set(record.id, record);
  }

  remove(id: string): void {
    this.#records.delete(id.slice('session:'.length));
  }

  /** True when a token of this version is void. */
  isVoid(session: SessionId, ver: number): boolean {
    const record = this.#records.get(session);
    return record !== undefined && (record.ended || ver < record.ver);
  }

  /** Entries expire in the order of their insertion, because all tokens have the same lifetime. */
  #forgetExpired(): void {
    for (const [id, { until }] of this.#records) {
      if (until > this.now()) return;
      this.#records.delete(id);
    }
  }
}
