/** A reader's age beyond which it must not trust what it knows, in milliseconds. */
export const STALE_AFTER_MS = 3_000;

/** A reader counts as alive for so much longer than it trusts itself: its clock and ours are not one. */
export const ALIVE_MARGIN_MS = 1_000;

/** Period of the ticks and of each replica's look at its database while something happens, in milliseconds. */
export const TICK_MS = 250;

/** The same at rest, when nothing has been committed for `BUSY_MS`. */
export const REST_TICK_MS = 1_000;

/** How long a committed change or a failed look keeps the ticks at `TICK_MS`, in milliseconds. */
export const BUSY_MS = 2_000;

/** A reader asks at least this often, in milliseconds. */
export const ASK_EVERY_MS = 1_000;

/** Hints make a reader ask no more often than this, in milliseconds. */
export const ASK_GAP_MS = 100;

/** A committed change that has waited longer for its sequence makes an answer prove nothing, in milliseconds. */
export const BACKLOG_MS = 250;

/** A pause of the own event loop that calls for a question at once, in milliseconds. */
export const STALL_MS = 1_000;

/** Silence of ticks and answers after which the connection is flushed, in milliseconds. */
export const TICK_SILENCE_MS = 800;

/** Time a flush has before the connection is given up, in milliseconds. */
export const FLUSH_MS = 500;

/** Changes per answer, and per statement of the relay. */
export const PAGE_CHANGES = 500;

/** Records per page of a snapshot: enough that the round trips weigh little, few enough to be parsed within some milliseconds. */
export const PAGE_RECORDS = 1_000;

/** Bytes of changes or records per answer: well below 900 KB, the most a message may carry. */
export const PAGE_BYTES = 512 * 1024;
