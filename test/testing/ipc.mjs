// Listened to from the import on: a child that still waits for a server must end with its test process too.
process.on('disconnect', () => process.exit(0));
if (!process.connected) process.exit(0);

/**
 * Answers the questions of the test process: each has an id, a name and an argument, and gets one answer or one error.
 * The child ends itself when the test process is gone.
 */
export function serve(handlers) {
  process.on('message', async ({ id, name, argument }) => {
    try {
      process.send({ id, value: (await handlers[name](argument)) ?? null });
    } catch (err) {
      process.send({ id, error: String(err?.stack ?? err) });
    }
  });
  process.send({ ready: true });
}

/** Warnings and errors go to stderr when FAULTS_LOG is set. */
const quiet = () => undefined;
const loud = (fields, event) =>
  process.stderr.write(
    `${new Date().toISOString().slice(17)} ${process.pid} ${event} ${JSON.stringify(fields, (_, v) => (v instanceof Error ? v.stack : v))}\n`,
  );
export const log = process.env.FAULTS_LOG
  ? { debug: quiet, info: loud, warn: loud, error: loud }
  : { debug: quiet, info: quiet, warn: quiet, error: loud };
