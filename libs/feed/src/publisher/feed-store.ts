/** A record in its current state, as a snapshot contains it. */
export interface StoredRecord<R> {
  /** `<type>:<id>`, such as `key:12`. */
  readonly id: string;
  /** Increases with each change of this id, also when it is deleted and created again. */
  readonly ver: number;
  readonly rec: R;
}

/** A change that a service makes to one record. */
export type RecordChange<R> =
  | ({ readonly op: 'put' } & StoredRecord<R>)
  | { readonly op: 'del'; readonly id: string; readonly ver: number };

/** Identifies a recorded change before it has a sequence. */
export type ChangeTicket = string;

/** A place in the feed. Places of different epochs cannot be compared. */
export interface FeedPlace {
  readonly epoch: string;
  readonly seq: number;
}

/** The newest place of the feed, and whether committed changes wait for a sequence. */
export interface FeedHead extends FeedPlace {
  /** Ticket of the oldest committed change without a sequence; null = none waits. */
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

/** What a reader last reported as applied; `epoch` null = nothing. */
export interface ReaderClaim {
  readonly reader: string;
  /** Increases with each question of this reader. */
  readonly asks: number;
  readonly epoch: string | null;
  readonly seq: number;
}

/** What one look at the database shows. */
export interface FeedLook {
  /** The newest place; null before the first epoch. */
  readonly head: FeedHead | null;
  /** All stored claims. */
  readonly readers: readonly ReaderClaim[];
}

/** Answer of the store to a reader's question. */
export interface StoredSince<R> {
  readonly head: FeedHead;
  /** False when the changes after the reader's place have been deleted. */
  readonly kept: boolean;
  readonly changes: readonly SequencedChange<R>[];
  /** All stored claims, with the reader's new one; null unless they were asked for. */
  readonly readers: readonly ReaderClaim[] | null;
}

/** Events of a store for its publisher. */
export interface FeedStoreEvents {
  /** This replica now assigns sequences, in a new epoch. */
  elected(): void;
  /** This replica no longer assigns sequences. */
  deposed(): void;
  /** A replica committed a change. */
  committed(): void;
  /** The database may have been restarted, and the readers' claims lost. */
  interrupted(): void;
}

/**
 * Storage of a feed, shared by all replicas of its service. Methods reject when the database does not answer within about
 * two seconds.
 * @typeParam Tx the service's own transaction handle.
 */
export interface FeedStore<R, Tx> {
  /** Takes part in the election until `close`. Each election begins a new random epoch at sequence 0. */
  open(events: FeedStoreEvents): void;
  close(): Promise<void>;
  /** Writes a change into the caller's transaction. */
  record(tx: Tx, change: RecordChange<R>): Promise<ChangeTicket>;
  /**
   * Assigns the next sequences to waiting changes, oldest first, without gaps. For the elected replica only.
   * @returns null when this replica's epoch is over.
   */
  sequence(limit: number): Promise<(FeedPlace & { readonly changes: readonly SequencedChange<R>[] }) | null>;
  /** The newest place; null before the first epoch. */
  head(): Promise<FeedHead | null>;
  /** Head and claims in one snapshot of the database. */
  look(): Promise<FeedLook>;
  /**
   * Stores the reader's claim, then reads head and changes in one snapshot of the database; null before the first epoch.
   * @param withReaders also reads all claims
   */
  since(claim: FeedClaim, limit: number, withReaders: boolean): Promise<StoredSince<R> | null>;
  /** Registers a reader that has applied nothing yet. */
  welcome(reader: string): Promise<void>;
  /** All stored claims. */
  readers(): Promise<readonly ReaderClaim[]>;
  /** Deletes the claims of readers that have not asked again since `asks`. */
  forget(gone: readonly Pick<ReaderClaim, 'reader' | 'asks'>[]): Promise<void>;
  /** The place of a change; null while it waits for its sequence. */
  placeOf(ticket: ChangeTicket): Promise<FeedPlace | null>;
}

/** A reader and the place up to which it reports all changes applied. */
export interface FeedClaim {
  readonly reader: string;
  readonly epoch: string | null;
  readonly seq: number;
}

/** The service's records, read in pages for snapshots. */
export interface FeedSource<R> {
  /**
   * At most `limit` records with ids after `after`, in an order that is fixed per id. Fewer than `limit` = the last page.
   */
  page(after: string | null, limit: number): Promise<readonly StoredRecord<R>[]>;
}
