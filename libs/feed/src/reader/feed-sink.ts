/**
 * Storage of a reader's records. Calls are synchronous and must not throw: after an error the reader loads a snapshot.
 */
export interface FeedSink<R> {
  /**
   * Begins a snapshot. It is collected separately over many turns of the event loop, while the current records stay in use.
   * A failed snapshot is abandoned; the next one calls `renew` again.
   */
  renew(): FeedRenewal<R>;
  /** The record is new or has changed. */
  put(id: string, rec: R): void;
  /** The record is gone. May be called for an id that was never put. */
  remove(id: string): void;
}

/** A snapshot that is being collected. */
export interface FeedRenewal<R> {
  /** Adds a record of the snapshot; each id comes once. */
  put(id: string, rec: R): void;
  /** Replaces all records by the complete snapshot, in one step of constant cost. */
  swap(): void;
}
