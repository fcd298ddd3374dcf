import { Worker } from 'node:worker_threads';
import { type ParseOutcome, parseBody, parsedValue } from './parse-json.js';

/** Bodies up to this size are parsed at once, in about 5 ms at most, in bytes. */
const INLINE_BYTES = 1024 * 1024;
const MAX_THREADS = 4;
/** An idle thread holds some 10 MB; large bodies come in bursts. */
const IDLE_MS = 30_000;

interface Job {
  readonly bytes: Buffer;
  readonly resolve: (outcome: ParseOutcome) => void;
  readonly reject: (error: Error) => void;
}

interface Thread {
  readonly worker: Worker;
  job: Job | null;
  idle: NodeJS.Timeout | undefined;
}

/** Parses request bodies: small ones at once, large ones in a thread, at most four at a time. */
export class BodyParser {
  readonly #threads = new Set<Thread>();
  readonly #waiting: Job[] = [];
  #closed = false;

  /** @param threadUrl the compiled `parse-thread.js`. */
  constructor(private readonly threadUrl: URL) {}

  /** @throws ServiceError for a body that is not the JSON object it should be. */
  async parse(bytes: Buffer): Promise<Record<string, unknown>> {
    if (bytes.length <= INLINE_BYTES) return parsedValue(parseBody(bytes));
    if (this.#closed) throw new Error('The gateway is shutting down.');
    const outcome = await new Promise<ParseOutcome>((resolve, reject) => {
      this.#waiting.push({ bytes, resolve, reject });
      this.#next();
    });
    return parsedValue(outcome);
  }

  /** Ends all threads; what they were parsing fails. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const { reject } of this.#waiting.splice(0)) reject(new Error('The gateway is shutting down.'));
    await Promise.all([...this.#threads].map(({ worker }) => worker.terminate()));
  }

  #next(): void {
    const idle = [...this.#threads].find(({ job }) => job === null);
    const thread = idle ?? (this.#threads.size < MAX_THREADS ? this.#start() : undefined);
    const job = thread && this.#waiting.shift();
    if (!thread || !job) return;
    clearTimeout(thread.idle);
    thread.job = job;
    thread.worker.ref();
    thread.worker.postMessage({ bytes: job.bytes });
  }

  #start(): Thread {
    const worker = new Worker(this.threadUrl);
    const thread: Thread = { worker, job: null, idle: undefined };
    this.#threads.add(thread);
    worker.on('message', ({ outcome }: { outcome: ParseOutcome }) => {
      thread.job?.resolve(outcome);
      this.#rest(thread);
    });
    worker.on('error', (error) => this.#lose(thread, error));
    worker.on('exit', () => this.#lose(thread, new Error('A parser thread ended.')));
    return thread;
  }

  #rest(thread: Thread): void {
    thread.job = null;
    thread.worker.unref();
    thread.idle = setTimeout(() => void thread.worker.terminate(), IDLE_MS).unref();
    this.#next();
  }

  #lose(thread: Thread, error: Error): void {
    if (!this.#threads.delete(thread)) return;
    clearTimeout(thread.idle);
    thread.job?.reject(error);
    this.#next();
  }
}
