/** Age beyond which a reader's records must not be used, in milliseconds. */
export const STALE_AFTER_MS = 3_000;

/** Time that a reader counts as alive beyond its staleness bound, in milliseconds: its clock and the publisher's differ. */
export const ALIVE_MARGIN_MS = 1_000;

/** Period of ticks and of each replica's database check while changes are committed, in milliseconds. */
export const TICK_MS = 250;

/**
 * The same when nothing has been committed for `BUSY_MS`. Longer than the second between two questions of a reader, whose answers
 * count as checks.
 */
export const REST_TICK_MS = 1_250;

/** How long a committed change or a failed check keeps the period at `TICK_MS`, in milliseconds. */
export const BUSY_MS = 2_000;

/** Longest pause before a failed snapshot is requested again, in milliseconds. */
export const RETRY_MAX_MS = 1_000;

/** Shortest pause between two questions of a reader, in milliseconds. */
export const ASK_GAP_MS = 100;

/** Longest wait of a committed change for its sequence, in milliseconds. Beyond it an answer does not prove that a reader is current. */
export const BACKLOG_MS = 250;

/** Delay of a check after which this process was suspended, in milliseconds. */
export const STALL_MS = 1_000;

/** Changes per answer, and per statement of the relay. */
export const PAGE_CHANGES = 500;

/** Records per page of a snapshot: few round trips, and each page is parsed within some milliseconds. */
export const PAGE_RECORDS = 1_000;

/** Bytes of changes or records per answer: well below 900 KB, the most a message may carry. */
export const PAGE_BYTES = 512 * 1024;
