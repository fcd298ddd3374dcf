import type { ChildProcess } from 'node:child_process';

/** Resolves with the exit code once the process is gone, and at once if it is gone already; null when a signal ended it. */
export const exitOf = (child: ChildProcess): Promise<number | null> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve(child.exitCode)
    : new Promise((resolve) => child.once('exit', (code) => resolve(code)));
