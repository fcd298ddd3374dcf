import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { ClientPackages } from './client-packages.js';

/** Only bounds a failure: the slowest client repeats a refused request for a minute. */
const JOB_WITHIN_MS = 120_000;

/** What a client shall do. */
export interface Job {
  readonly act: string;
  /** Up to the deployment, without `/v1`, unless `exact`. */
  readonly baseURL: string;
  readonly exact?: boolean;
  readonly apiKey: string;
  readonly model: string;
  readonly text: string;
  /** Tries after the first one; absent = none. */
  readonly maxRetries?: number;
  /** Parameters in the client's own spelling. */
  readonly more?: Readonly<Record<string, unknown>>;
  /** Counts with tools. */
  readonly tools?: boolean;
}

/** An exception as a user of the client gets it. */
export interface Raised {
  /** Its class. */
  readonly name: string;
  /** Its class and those above. */
  readonly classes: readonly string[];
  readonly status: number | null;
  readonly code: string | number | null;
  readonly type: string | null;
  readonly param: string | null;
  readonly message: string;
  /** The request's id, where the client shows it. */
  readonly request: string | null;
}

/** What a client saw. */
export interface Sight {
  readonly text: string;
  readonly thought: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: unknown; readonly invalid?: boolean }[];
  /** In the words of the client. */
  readonly finish: string | null;
  readonly usage: { readonly prompt: number; readonly completion: number } | null;
  readonly model: string | null;
  /** The result of acts that have another one than text. */
  readonly value: unknown;
  /** Null when the client saw nothing wrong. */
  readonly error: Raised | null;
  readonly requests: number;
  /** Arguments with which its runner ran the tool. */
  readonly ran: readonly unknown[];
}

/** A job that goes on. */
export interface Running {
  /** The first piece of text has arrived; rejects when the job ends without one. */
  readonly begun: Promise<void>;
  /** Status of the first refusal; rejects when the job ends without one. */
  readonly refused: Promise<number>;
  readonly saw: Promise<Sight>;
}

/** What a client process runs. */
type Program = Readonly<Record<'program' | 'flavour' | 'contract', string>>;

interface Pending {
  begin(): void;
  refuse(status: number): void;
  end(sight: Sight): void;
  fail(error: Error): void;
}

type Line = { id: number } & Partial<Sight & { begun: true; refused: number; ready: true }>;

/** A promise that may stay pending and need not be awaited. */
function signal<T>(): { promise: Promise<T>; resolve(value: T): void; reject(error: Error): void } {
  let settle: { resolve(value: T): void; reject(error: Error): void } | undefined;
  const promise = new Promise<T>((resolve, reject) => (settle = { resolve, reject }));
  promise.catch(() => undefined);
  return { promise, resolve: (value) => settle?.resolve(value), reject: (error) => settle?.reject(error) };
}

/** A client in a process of its own, which does any number of jobs at once. */
export class ClientProcess {
  readonly #pending = new Map<number, Pending>();
  readonly #ready = signal<void>();
  #output = '';
  #jobs = 0;

  private constructor(
    readonly name: string,
    private readonly child: ChildProcess,
  ) {
    child.stderr?.on('data', (text: Buffer) => (this.#output += text.toString()));
    if (child.stdout) createInterface({ input: child.stdout }).on('line', (line) => this.#hear(line));
    child.once('exit', () => this.#lost());
    child.once('error', () => this.#lost());
    // A failed send to an ended process is reported by its end.
    child.stdin?.on('error', () => this.#lost());
  }

  /** Starts a program with a package or provider of `packages`. */
  static async start({ folder, node, python }: ClientPackages, { program, flavour, contract }: Program): Promise<ClientProcess> {
    const script = fileURLToPath(new URL(`../programs/${program}`, import.meta.url));
    const [command = '', ...options] = program.endsWith('.py')
      ? [python, '-B', '-W', 'ignore']
      : [node, '--no-warnings', '--experimental-import-meta-resolve'];
    const args = [...options, script, folder, flavour, contract];
    // Nothing of this machine's environment may lead a client elsewhere than its job says.
    const env = {
      PATH: process.env['PATH'] ?? '',
      HOME: '/nonexistent',
      LANGCHAIN_TRACING_V2: 'false',
      LANGCHAIN_CALLBACKS_BACKGROUND: 'false',
      LITELLM_LOCAL_MODEL_COST_MAP: 'True',
    };
    const client = new ClientProcess(flavour, spawn(command, args, { env, stdio: ['pipe', 'pipe', 'pipe'] }));
    await client.#ready.promise;
    return client;
  }

  begin(job: Job): Running {
    this.#jobs += 1;
    const id = this.#jobs;
    const [begun, refused, saw] = [signal<void>(), signal<number>(), signal<Sight>()];
    const timer = setTimeout(() => pending.fail(new Error(`${this.name} still does ${JSON.stringify(job)}`)), JOB_WITHIN_MS);
    const fail = (error: Error): void => {
      clearTimeout(timer);
      this.#pending.delete(id);
      for (const waiting of [begun, refused, saw]) waiting.reject(error);
    };
    const end = (sight: Sight): void => {
      saw.resolve(sight);
      fail(new Error(`${this.name} has ended with ${JSON.stringify(sight)}`));
    };
    const pending: Pending = { begin: begun.resolve, refuse: refused.resolve, end, fail };
    this.#pending.set(id, pending);
    if (this.#hasEnded) this.#lost();
    this.child.stdin?.write(`${JSON.stringify({ ...job, id })}\n`);
    return { begun: begun.promise, refused: refused.promise, saw: saw.promise };
  }

  /** Does a job to its end. */
  do(job: Job): Promise<Sight> {
    return this.begin(job).saw;
  }

  async end(): Promise<void> {
    if (this.#hasEnded) return;
    const gone = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await gone;
  }

  get #hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  #hear(text: string): void {
    const line = JSON.parse(text) as Line;
    if (line.ready) return this.#ready.resolve();
    const pending = this.#pending.get(line.id);
    if (line.begun) pending?.begin();
    else if (line.refused !== undefined) pending?.refuse(line.refused);
    else pending?.end(line as Sight & Line);
    return undefined;
  }

  #lost(): void {
    const error = new Error(`The process of ${this.name} has ended:\n${this.#output}`);
    this.#ready.reject(error);
    for (const pending of this.#pending.values()) pending.fail(error);
  }
}
