/** A record as it stands: what a snapshot holds of it. */
export interface StoredRecord<R> {
  /** `<type>:<id>`, such as `key:12`. */
  readonly id: string;
  /** Rises with each change of this id, across deletion and new creation too. */
  readonly ver: number;
  readonly rec: R;
}

/** A change that a service makes to one record. */
export type RecordChange<R> =
  | ({ readonly op: 'put' } & StoredRecord<R>)
  | { readonly op: 'del'; readonly id: string; readonly ver: number };

/** Names a recorded change before it has a sequence. */
export type ChangeTicket = string;

/** A place in the feed. Places of different epochs cannot be compared. */
export interface FeedPlace {
  readonly epoch: string;
  readonly seq: number;
}

/** The feed's end, and whether committed changes wait behind it. */
export interface FeedHead extends FeedPlace {
  /** Ticket of the oldest committed change without a sequence, null when none waits. */
  readonly oldestWaiting: ChangeTicket | null;
}

/** A change with its sequence. */
export interface SequencedChange<R> {
  readonly seq: number;
  readonly op: 'put' | 'del';
  readonly id: string;
  readonly ver: number;
  readonly rec?: R | undefined;
}

/** What a reader last claimed to have applied; `epoch` null = nothing. */
export interface ReaderClaim {
  readonly reader: string;
  /** Rises with each question of this reader. */
  readonly asks: number;
  readonly epoch: string | null;
  readonly seq: number;
}

/** Answer of the store to a reader's question. */
export interface StoredSince<R> {
  readonly head: FeedHead;
  /** False when the changes after the asked place are no longer kept. */
  readonly kept: boolean;
  readonly changes: readonly SequencedChange<R>[];
}

/** What the store tells its publisher. */
export interface FeedStoreEvents {
  /** This replica now gives out the sequences, under a new epoch. */
  elected(): void;
  /** It no longer does. */
  deposed(): void;
  /** Somebody committed a change. */
  committed(): void;
  /** The database, and with it the claims of the readers, may have been restarted. */
  interrupted(): void;
}

/**
 * Where a feed is kept, shared by all replicas of its service. Every method may reject when the
 * database does not answer; none waits for longer than about two seconds.
 * @typeParam Tx the service's own transaction handle.
 */
export interface FeedStore<R, Tx> {
  /** Stands for election until `close`; each election begins a new random epoch at sequence 0. */
  open(events: FeedStoreEvents): void;
  close(): Promise<void>;
  /** Writes a change into the caller's transaction. */
  record(tx: Tx, change: RecordChange<R>): Promise<ChangeTicket>;
  /**
   * Gives the next sequences to what waits, oldest first, without holes; for the elected replica only.
   * Null when this replica's epoch is over.
   */
  sequence(limit: number): Promise<(FeedPlace & { readonly changes: readonly SequencedChange<R>[] }) | null>;
  /** The head; null before the first epoch. */
  head(): Promise<FeedHead | null>;
  /** Notes the reader's claim durably, then reads head and changes as of one moment; null before the first epoch. */
  since(claim: FeedClaim, limit: number): Promise<StoredSince<R> | null>;
  /** Notes that a reader is alive and has applied nothing. */
  welcome(reader: string): Promise<void>;
  /** All claims that are kept. */
  readers(): Promise<readonly ReaderClaim[]>;
  /** Drops the claims of readers that asked no more since `asks`. */
  forget(gone: readonly Pick<ReaderClaim, 'reader' | 'asks'>[]): Promise<void>;
  /** Where a change stands; null while it waits for its sequence. */
  placeOf(ticket: ChangeTicket): Promise<FeedPlace | null>;
}

/** A reader and the place up to which it says it has applied everything. */
export interface FeedClaim {
  readonly reader: string;
  readonly epoch: string | null;
  readonly seq: number;
}

/** The service's records, read in pages for snapshots. */
export interface FeedSource<R> {
  /**
   * Records with ids after `after` in an order that never changes for an id, at most `limit`;
   * fewer than `limit` means that there are no more.
   */
  page(after: string | null, limit: number): Promise<readonly StoredRecord<R>[]>;
}
