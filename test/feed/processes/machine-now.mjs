/** Milliseconds of the machine's monotonic clock, which all processes share. */
export const machineNow = () => Number(process.hrtime.bigint() / 1000n) / 1000;
