import { Worker } from 'node:worker_threads';
import { type ErrorCode, ServiceError } from '@slipway/contracts';
import type { AnswerGrammar, GrammarSource } from './answer-grammar.js';
import { outOfTime } from './grammar/compile-budget.js';
import { cpuMs } from './thread-clock.js';

/** A task for the thread: compile a grammar, or check a text. */
export type GrammarTask =
  | { readonly kind: 'grammar'; readonly request: GrammarSource; readonly family: string | null }
  | { readonly kind: 'check'; readonly schema: unknown; readonly text: string };

/** Result of a task. */
export type GrammarTaskResult =
  | { readonly ready: true; readonly stats: string | null }
  | { readonly value: unknown }
  | { readonly refused: Refusal }
  | { readonly failed: string };

interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly param: string | undefined;
  /** Whether it was refused because its time ran out. */
  readonly late: boolean;
}

/** CPU time after which a task is ended with its thread, in milliseconds. Grammars have a smaller budget of their own. */
const TASK_BUDGET_MS = 3_000;
/** Elapsed time per CPU time after which a thread is given up: a tenth of a core. */
const MAX_STARVED = 10;
/** Most waiting tasks. */
const MAX_WAITING = 64;
/** Threads cannot load TypeScript: when run from source, as in tests, this uses the built thread. */
const THREAD = new URL(import.meta.url.endsWith('.ts') ? '../dist/grammar-thread.js' : 'grammar-thread.js', import.meta.url);

interface Job {
  readonly task: GrammarTask;
  readonly size: number;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

interface Thread {
  readonly worker: Worker;
  ready: boolean;
  /** File in which the system reports its CPU time. */
  stats: string | null;
  job: Job | null;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Compiles schemas to grammars and checks answers in its own thread, one task at a time, smallest first, so that a client's schema
 * does not delay the tokens of others. A task that exceeds its budget of CPU time is ended with its thread.
 */
export class GrammarTasks {
  readonly #waiting: Job[] = [];
  #thread: Thread | null = null;
  #closed = false;

  constructor(
    private readonly budgetMs = TASK_BUDGET_MS,
    private readonly threadUrl = THREAD,
  ) {}

  /**
   * The grammar of an answer; null = unconstrained.
   * @param family name of the family in which calls are written.
   * @throws ServiceError naming the field that cannot be enforced or takes too long; `overloaded` where too many tasks wait.
   */
  async grammar(request: GrammarSource, family: string | null): Promise<AnswerGrammar | null> {
    return (await this.#run({ kind: 'grammar', request, family })) as AnswerGrammar | null;
  }

  /** Fault of a JSON text by a schema; null = none. @throws ServiceError like `grammar`. */
  async faultOf(schema: unknown, text: string): Promise<string | null> {
    return (await this.#run({ kind: 'check', schema, text })) as string | null;
  }

  /** Ends the thread; its tasks fail. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const { reject } of this.#waiting.splice(0)) reject(new Error('The model is being unloaded.'));
    await this.#thread?.worker.terminate();
  }

  #run(task: GrammarTask): Promise<unknown> {
    if (this.#closed) return Promise.reject(new Error('The model is being unloaded.'));
    if (this.#waiting.length >= MAX_WAITING)
      return Promise.reject(new ServiceError('overloaded', 'Too many schemas wait to be compiled.', { retryAfterS: 1 }));
    const size = JSON.stringify(task).length;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ task, size, resolve, reject });
      this.#next();
    });
  }

  #next(): void {
    if (this.#waiting.length === 0 || this.#thread?.job) return;
    const thread = (this.#thread ??= this.#start());
    if (!thread.ready) return;
    const smallest = this.#waiting.reduce((best, job) => (job.size < best.size ? job : best));
    this.#waiting.splice(this.#waiting.indexOf(smallest), 1);
    thread.job = smallest;
    thread.worker.ref();
    this.#watch(thread, { since: performance.now(), spent: cpuMs(thread.stats) });
    thread.worker.postMessage(smallest.task);
  }

  #watch(thread: Thread, start: { readonly since: number; readonly spent: number | null }, left = this.budgetMs): void {
    thread.timer = setTimeout(() => {
      const [now, waited] = [cpuMs(thread.stats), performance.now() - start.since];
      const spent = now === null || start.spent === null ? waited : now - start.spent;
      if (spent >= this.budgetMs) this.#lose(thread, outOfTime());
      else if (waited >= this.budgetMs * MAX_STARVED) this.#lose(thread, starved());
      else this.#watch(thread, start, this.budgetMs - spent);
    }, left);
  }

  #start(): Thread {
    const worker = new Worker(this.threadUrl, { resourceLimits: { maxOldGenerationSizeMb: 512 } });
    const thread: Thread = { worker, ready: false, stats: null, job: null, timer: undefined };
    worker.on('message', (result: GrammarTaskResult) => this.#took(thread, result));
    worker.on('error', (error) => this.#lose(thread, error));
    worker.on('exit', () => this.#lose(thread, new Error('The thread that compiles schemas ended.')));
    return thread;
  }

  #took(thread: Thread, result: GrammarTaskResult): void {
    const { job } = thread;
    clearTimeout(thread.timer);
    thread.job = null;
    if ('ready' in result) Object.assign(thread, { ready: true, stats: result.stats });
    else if ('value' in result) job?.resolve(result.value);
    else if ('failed' in result) job?.reject(new Error(result.failed));
    else job?.reject(refusalOf(result.refused));
    thread.worker.unref();
    this.#next();
  }

  #lose(thread: Thread, error: Error): void {
    if (this.#thread !== thread) return;
    this.#thread = null;
    clearTimeout(thread.timer);
    void thread.worker.terminate();
    thread.job?.reject(error);
    // A thread that cannot start would be restarted for ever.
    if (!thread.ready) for (const { reject } of this.#waiting.splice(0)) reject(error);
    this.#next();
  }
}

const starved = (): ServiceError =>
  new ServiceError('overloaded', 'The machine is too busy to compile the schemas of this request.', { retryAfterS: 1 });

const refusalOf = ({ code, message, param, late }: Refusal): ServiceError =>
  new ServiceError(code, message, { param, ...(late && { cause: outOfTime().cause }) });
