const OFFSET_US = Number(process.hrtime.bigint() / 1_000n) - performance.now() * 1_000;

/** Microseconds on the machine's monotonic clock, which all processes share. */
export const machineMicros = (): number => OFFSET_US + performance.now() * 1_000;
