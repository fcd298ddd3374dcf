import { Worker } from 'node:worker_threads';
import type { Progress } from '../../../scripts/lib/progress.mjs';
import { StartError } from '../../../scripts/lib/start-error.mjs';
import type { BringUpSetup, FromThread, SentError, ToThread } from './bring-up-messages.js';
import type { Supervisor } from './supervisor.js';

/** Time for the thread to end its commands and itself, in milliseconds. */
const END_WITHIN_MS = 1_000;

function errorOf({ isExpected, message, stack, cause }: SentError): Error {
  const options = cause === undefined ? {} : { cause: new Error(cause) };
  if (isExpected) return new StartError(message, options);
  return Object.assign(new Error(message, options), stack !== undefined && { stack });
}

/**
 * Starts everything in a thread of its own, which ends when everything serves: clients, schemas and libraries that only a start
 * needs then leave memory. Processes belong to the supervisor of this thread from the beginning.
 */
export class BringUp {
  /** The report of a successful start. Rejects when something does not start. */
  readonly report: Promise<string>;
  readonly #thread: Worker;
  readonly #ended: Promise<void>;

  constructor(setup: BringUpSetup, { supervisor, progress }: { supervisor: Supervisor; progress: Progress }) {
    this.#thread = new Worker(new URL('bring-up-thread.js', import.meta.url), { workerData: setup });
    this.#ended = new Promise((resolve) => {
      this.#thread.once('exit', () => resolve());
    });
    this.report = new Promise((resolve, reject) => {
      this.#thread.on('message', (message: FromThread) => {
        if (message.k === 'note') progress.note(message.text);
        else if (message.k === 'start') this.#start(supervisor, message.spec);
        else if (message.k === 'up') resolve(message.report);
        else reject(errorOf(message.error));
      });
      this.#thread.once('error', reject);
      this.#thread.once('exit', (code) => reject(new Error(`The start ended early, with code ${code}.`)));
    });
    this.report.catch(() => undefined);
  }

  /** Says whether the report was written. The thread records that, then ends. */
  async reported(written: boolean): Promise<void> {
    this.#send({ k: 'reported', written });
    await this.#ended;
  }

  /** Gives up a start that is not over, and ends its commands. */
  async abort(): Promise<void> {
    this.#send({ k: 'abort' });
    const force = setTimeout(() => void this.#thread.terminate(), END_WITHIN_MS);
    await this.#ended;
    clearTimeout(force);
  }

  #start(supervisor: Supervisor, spec: Parameters<Supervisor['start']>[0]): void {
    const pid = supervisor.start(spec);
    if (pid !== null) this.#send({ k: 'started', name: spec.name, pid });
  }

  #send(message: ToThread): void {
    this.#thread.postMessage(message);
  }
}
