import { Worker } from 'node:worker_threads';
import { ServiceError } from '@slipway/contracts';
import type { Logger } from '../log/logger.js';
import { FairTurns, type FairTurnsOptions, type Owner } from './fair-turns.js';

/** Most threads. An idle one takes about 30 MB; large bodies come in bursts. */
const IDLE_MS = 30_000;
/** Most waiting tasks per key and in total. A full queue drops tasks of the account that has most. */
const WAITING = { perKey: 32, inAll: 256 };
/** Heap of a thread in MiB, far above the size of a parsed body. */
const HEAP_MIB = 512;

/** What a `ThreadPool` needs. */
export interface ThreadPoolOptions {
  /** The compiled module of a thread. It posts `ready` once, then one outcome per task. */
  readonly threadUrl: URL;
  readonly threads: number;
  /** Timeout of one task, in milliseconds. */
  readonly taskMs: number;
  /** Idle time after which a thread ends, in milliseconds; default 30 s. */
  readonly idleMs?: number;
  /** Most waiting tasks per key and in total; default 32 and 256. */
  readonly waiting?: FairTurnsOptions;
  readonly log: Pick<Logger, 'error' | 'warn'>;
}

/** Work for a thread. */
export interface ThreadTask {
  readonly message: unknown;
  /** Objects transferred to the thread. */
  readonly transfer: readonly ArrayBuffer[];
  readonly owner: Owner;
  /** False when the caller has gone: the task is not begun then. */
  readonly isWanted: () => boolean;
}

interface Job extends ThreadTask {
  readonly resolve: (outcome: never) => void;
  readonly reject: (error: Error) => void;
}

interface Thread {
  readonly worker: Worker;
  isReady: boolean;
  job: Job | null;
  /** Ends the thread when its task takes too long or it was idle for long. */
  timer: NodeJS.Timeout | undefined;
}

/**
 * A pool of threads. Accounts take turns, and no account can use all threads at once. A task that takes too long or crashes its
 * thread fails alone.
 */
export class ThreadPool {
  readonly #threads = new Set<Thread>();
  readonly #waiting: FairTurns<Job>;
  readonly #running = new Map<number, number>();
  #closed = false;

  constructor(private readonly options: ThreadPoolOptions) {
    this.#waiting = new FairTurns(options.waiting ?? WAITING);
  }

  /** Runs a task. @throws ServiceError `overloaded` when too many tasks wait, or when it took too long or crashed its thread. */
  run<Outcome>(task: ThreadTask): Promise<Outcome> {
    if (this.#closed) return Promise.reject(shuttingDown());
    return new Promise<Outcome>((resolve, reject) => {
      this.#waiting.add(task.owner, { ...task, resolve, reject })?.reject(tooMany());
      this.#next();
    });
  }

  /** Ends all threads; their tasks fail. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const { reject } of this.#waiting.drain()) reject(shuttingDown());
    await Promise.all([...this.#threads].map(({ worker }) => worker.terminate()));
  }

  #next(): void {
    while (this.#waiting.size > 0) {
      const idle = [...this.#threads].find(({ job }) => job === null);
      if (!idle && this.#threads.size >= this.options.threads) return;
      const job = this.#waiting.next((account) => this.#hasRoom(account));
      if (!job) return;
      if (job.isWanted()) this.#give(idle ?? this.#start(), job);
      else job.reject(new ServiceError('cancelled', 'The client left before its request was read.'));
    }
  }

  /** An account leaves one thread to the others. */
  #hasRoom(account: number): boolean {
    return (this.#running.get(account) ?? 0) < Math.max(1, this.options.threads - 1);
  }

  #give(thread: Thread, job: Job): void {
    clearTimeout(thread.timer);
    thread.job = job;
    this.#running.set(job.owner.account, (this.#running.get(job.owner.account) ?? 0) + 1);
    thread.worker.ref();
    thread.worker.postMessage(job.message, job.transfer);
    if (thread.isReady) this.#limit(thread);
  }

  /** The timeout begins when the thread has loaded its modules. */
  #limit(thread: Thread): void {
    thread.timer = setTimeout(() => {
      this.options.log.warn({ ms: this.options.taskMs }, 'body.read_too_long');
      this.#lose(thread, tooLong());
      void thread.worker.terminate();
    }, this.options.taskMs);
  }

  #start(): Thread {
    const worker = new Worker(this.options.threadUrl, { resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB } });
    const thread: Thread = { worker, isReady: false, job: null, timer: undefined };
    this.#threads.add(thread);
    worker.on('message', (message: { readonly ready: true } | { readonly outcome: never }) => {
      if ('ready' in message) {
        thread.isReady = true;
        if (thread.job) this.#limit(thread);
      } else {
        const job = this.#rest(thread);
        job?.resolve(message.outcome);
        this.#next();
      }
    });
    worker.on('error', (err: NodeJS.ErrnoException) => {
      this.options.log.error({ err }, 'body.thread_failed');
      this.#lose(thread, err.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooMuch() : threadLost(err));
    });
    worker.on('exit', () => this.#lose(thread, this.#closed ? shuttingDown() : threadLost()));
    return thread;
  }

  /** @returns the task of the thread. */
  #rest(thread: Thread): Job | null {
    const { job } = thread;
    clearTimeout(thread.timer);
    thread.job = null;
    if (job) this.#left(job);
    thread.worker.unref();
    thread.timer = setTimeout(() => void thread.worker.terminate(), this.options.idleMs ?? IDLE_MS).unref();
    return job;
  }

  #lose(thread: Thread, error: Error): void {
    if (!this.#threads.delete(thread)) return;
    clearTimeout(thread.timer);
    if (thread.job) {
      this.#left(thread.job);
      thread.job.reject(error);
    }
    this.#next();
  }

  #left({ owner: { account } }: Job): void {
    const running = (this.#running.get(account) ?? 0) - 1;
    if (running > 0) this.#running.set(account, running);
    else this.#running.delete(account);
  }
}

const shuttingDown = (): ServiceError =>
  new ServiceError('server_shutting_down', 'The process that reads this request is shutting down; send it again.', { retryAfterS: 1 });
const tooMany = (): ServiceError =>
  new ServiceError('overloaded', 'There are as many large requests to read as can be held; try again soon.', { retryAfterS: 2 });
const tooLong = (): ServiceError =>
  new ServiceError('overloaded', 'Reading this request took too long; send a smaller one, or try again.', { retryAfterS: 2 });
const tooMuch = (): ServiceError => new ServiceError('invalid_json', 'Reading the body takes more memory than one request may have.');
const threadLost = (cause?: Error): ServiceError =>
  new ServiceError('overloaded', 'This request could not be read; try again.', { retryAfterS: 2, cause });
