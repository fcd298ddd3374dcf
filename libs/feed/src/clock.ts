/** A clock that only goes forward. Values of different processes have nothing to do with each other. */
export interface MonotonicClock {
  /** Milliseconds since some moment of this process's life. */
  now(): number;
}

/** The process's own monotonic clock; it runs on while the event loop, or the whole process, stands still. */
export const processClock: MonotonicClock = { now: () => performance.now() };
