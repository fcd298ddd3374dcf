import { rm } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import type { ValidationMessage, ValidationTask } from './validation-messages.js';

const THREAD = new URL('validate-thread.js', import.meta.url);
/** Heap of a thread in MiB: hashes of 3 million examples take 51 MB outside of it. */
const HEAP_MIB = 512;
/** Young generation in MiB: a larger one keeps lines of large files for longer, at no gain in time. */
const YOUNG_MIB = 12;

type Done = Extract<ValidationMessage, { kind: 'done' }>;

/** A validation thread died without a word, or could not read its file. */
class ValidationFailedError extends Error {
  override readonly name = 'ValidationFailedError';
}

/**
 * Runs one validation in a thread of its own. On any failure the files that it wrote are removed.
 * @param progress called in order; the next message waits for it
 * @throws ValidationFailedError; the signal's reason when it is aborted
 */
export async function runValidation(
  task: ValidationTask,
  { signal, progress }: { signal: AbortSignal; progress: (message: Extract<ValidationMessage, { kind: 'progress' }>) => Promise<void> },
): Promise<Done> {
  const worker = new Worker(THREAD, {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB, maxYoungGenerationSizeMb: YOUNG_MIB },
  });
  try {
    return await outcomeOf(worker, signal, progress);
  } catch (error) {
    await worker.terminate();
    await Promise.all(Object.values(task.paths).map((path) => rm(path, { force: true })));
    throw error;
  }
}

function outcomeOf(
  worker: Worker,
  signal: AbortSignal,
  progress: (message: Extract<ValidationMessage, { kind: 'progress' }>) => Promise<void>,
): Promise<Done> {
  return new Promise<Done>((resolve, reject) => {
    let reports: Promise<void> = Promise.resolve();
    const fail = (error: Error): void => reject(error);
    const abort = (): void => fail(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    worker.on('message', (message: ValidationMessage) => {
      if (message.kind === 'failed') return fail(new ValidationFailedError(message.message));
      reports = reports.then(() => (message.kind === 'progress' ? progress(message) : resolve(message)));
      reports.catch(fail);
      return undefined;
    });
    worker.on('error', fail);
    worker.on('exit', (code) => {
      signal.removeEventListener('abort', abort);
      reports.then(() => fail(new ValidationFailedError(`The thread ended with ${code}.`))).catch(fail);
    });
  });
}
