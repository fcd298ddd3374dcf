import { parentPort } from 'node:worker_threads';
import { stepBack } from '@slipway/platform';
import { prepareInThread, type PrepareOutcome, type PrepareTask } from './prepare-task.js';

stepBack();

/** The bytes of an outcome, which need not be copied. */
function bytesIn(outcome: PrepareOutcome): ArrayBuffer[] {
  if (outcome.kind !== 'prepared') return [];
  const { prepared } = outcome;
  const alone = 'body' in prepared ? [prepared.body] : [];
  const pieces = 'pieces' in prepared ? prepared.pieces : alone;
  // A short one may lie in Node's pool, with others.
  const buffers = pieces.flatMap((piece) => (piece instanceof Uint8Array && piece.byteLength > Buffer.poolSize ? [piece.buffer] : []));
  return buffers.filter((buffer) => buffer instanceof ArrayBuffer);
}

/** A thread that reads one large start after the other, so that they do not stop the streams of the main loop. */
parentPort?.on('message', (task: PrepareTask) => {
  const outcome = prepareInThread(task);
  parentPort?.postMessage({ outcome }, bytesIn(outcome));
});
parentPort?.postMessage({ ready: true });
