import { parentPort } from 'node:worker_threads';
import { parseBody } from './parse-json.js';

/** A thread that parses one body after the other, so that large ones do not stop the streams of the main loop. */
parentPort?.on('message', ({ bytes }: { bytes: Uint8Array }) => {
  parentPort?.postMessage({ outcome: parseBody(bytes) });
});
