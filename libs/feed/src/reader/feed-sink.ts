import type { StoredRecord } from '../publisher/feed-store.js';

/**
 * Where a reader keeps what it learns. Calls are synchronous and must not throw: what throws counts
 * as unknown, and the reader starts again from a snapshot.
 */
export interface FeedSink<R> {
  /** Everything that exists, in one step: what is not among `records` is gone. */
  replaceAll(records: readonly StoredRecord<R>[]): void;
  /** The record is new or has changed. */
  put(id: string, rec: R): void;
  /** The record is gone. May be called for an id that was never put. */
  remove(id: string): void;
}
