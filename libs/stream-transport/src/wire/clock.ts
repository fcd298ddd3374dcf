/** Milliseconds on a clock that only rises; its zero means nothing. */
export type Clock = () => number;

/** The process's monotonic clock: a step of the wall clock does not move it. */
export const monotonic: Clock = () => performance.now();
