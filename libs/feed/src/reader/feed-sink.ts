/**
 * Where a reader keeps what it learns. Calls are synchronous and must not throw: what throws counts
 * as unknown, and the reader starts again from a snapshot.
 */
export interface FeedSink<R> {
  /**
   * A snapshot begins: it is collected aside, over many turns of the event loop, while what is known stays in use and
   * unchanged. One that fails half-way is left as it is; the next begins with a renewal of its own.
   */
  renew(): FeedRenewal<R>;
  /** The record is new or has changed. */
  put(id: string, rec: R): void;
  /** The record is gone. May be called for an id that was never put. */
  remove(id: string): void;
}

/** A snapshot on its way into a sink. */
export interface FeedRenewal<R> {
  /** A record of the snapshot; each id comes once. */
  put(id: string, rec: R): void;
  /** The snapshot is complete: it takes the place of everything known, in one step that costs the same for any number. */
  swap(): void;
}
