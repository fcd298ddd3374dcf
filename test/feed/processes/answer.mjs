/** Answers the questions of the test process, and ends when that is gone. */
export function answer(handlers) {
  process.on('message', async ({ id, name, argument }) => {
    try {
      process.send({ id, value: (await handlers[name](argument)) ?? null });
    } catch (err) {
      process.send({ id, error: String(err?.stack ?? err) });
    }
  });
  process.on('disconnect', () => process.exit(0));
  process.send({ ready: true });
}

/** Milliseconds of the machine's monotonic clock, which all processes share. */
export const machineNow = () => Number(process.hrtime.bigint() / 1000n) / 1000;
