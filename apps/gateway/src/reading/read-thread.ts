import { parentPort } from 'node:worker_threads';
import { stepBack } from '@slipway/platform';
import { READERS } from '../surfaces/readers.js';
import { type ReadOutcome, type ReadTask, readInThread } from './read-request.js';

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
