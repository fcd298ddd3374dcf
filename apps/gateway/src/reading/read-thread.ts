import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { basename } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { READERS } from '../surfaces/readers.js';
import { type ReadOutcome, type ReadTask, readInThread } from './read-request.js';

/** As `nice -n 10`: about a tenth of the time that the main loop gets where both want the same core. */
const NICENESS = 10;

/**
 * Lets the main loop go first where there are fewer cores than threads that want one: tokens do not wait for large bodies.
 * Linux alone has priorities of threads (setpriority(2)); elsewhere, and where it is forbidden, all are equal.
 */
function stepBack(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), NICENESS);
  } catch {
    // Reading works all the same.
  }
}

stepBack();

/** A thread that reads one body after the other, so that large ones do not stop the streams of the main loop. */
parentPort?.on('message', (task: ReadTask) => {
  const outcome: ReadOutcome = Object.hasOwn(READERS, task.reader)
    ? readInThread(task, READERS[task.reader as keyof typeof READERS])
    : { kind: 'failed', asked: null, reason: 'There is no such reader.' };
  const canonical = outcome.kind === 'read' && outcome.request.canonical;
  parentPort?.postMessage({ outcome }, canonical instanceof Uint8Array ? [canonical.buffer as ArrayBuffer] : []);
});
parentPort?.postMessage({ ready: true });
