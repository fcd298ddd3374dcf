import type { FeedRenewal, FeedSink } from '@slipway/feed';

/** The records of a reader by id. */
export class KnownRecords<R> implements FeedSink<R> {
  #records = new Map<string, R>();

  /** A live view of the records. */
  get now(): ReadonlyMap<string, R> {
    return this.#records;
  }

  renew(): FeedRenewal<R> {
    const records = new Map<string, R>();
    return {
      put: (id, rec) => void records.set(id, rec),
      swap: () => {
        this.#records = records;
      },
    };
  }

  put(id: string, rec: R): void {
    this.#records.set(id, rec);
  }

  remove(id: string): void {
    this.#records.delete(id);
  }
}
