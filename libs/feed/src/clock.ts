/** A monotonic clock. Values of different processes cannot be compared. */
export interface MonotonicClock {
  /** Milliseconds since an arbitrary moment in this process. */
  now(): number;
}

/** The process's own monotonic clock. It continues while the event loop or the whole process is suspended. */
export const processClock: MonotonicClock = { now: () => performance.now() };
