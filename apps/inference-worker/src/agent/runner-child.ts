import { type ChildProcess, fork } from 'node:child_process';
import { writeFile } from 'node:fs';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { eachSecond, type Logger, processMemory } from '@slipway/platform';
import type { WorkerConfig } from '../config.js';
import { type AgentMessage, type RunnerFigures, RunnerMessage, type RunnerSetup } from '../runner/runner-messages.js';
import type { ItemLog } from './log-book.js';

const MAX_LINE_CHARS = 4_000;

/** Cuts a byte stream into lines. Overlong ones come cut, empty ones not at all. */
export class LineSplitter {
  readonly #decoder = new StringDecoder('utf8');
  #rest = '';

  constructor(private readonly onLine: (line: string) => void) {}

  push(chunk: Buffer): void {
    const lines = (this.#rest + this.#decoder.write(chunk)).split(/\r?\n/);
    this.#rest = (lines.pop() ?? '').slice(0, MAX_LINE_CHARS);
    for (const line of lines) if (line.trim() !== '') this.onLine(line.slice(0, MAX_LINE_CHARS));
  }
}

const RUNNER_MAIN = new URL('../runner/main.js', import.meta.url);
/** The watch ticks once a second, in milliseconds. */
const TICK_MS = 1_000;
/** Least time for the first message of a process, which must load its code first, in milliseconds. */
const FIRST_MESSAGE_MS = 60_000;
/** Runners that a process takes in its life: it does not return the memory of those that have left. */
const RUNNERS_MAX = 128;

/** Bounds the JavaScript heap of a runner, which is small; only a hostile model file needs more. */
const HEAP_LIMIT = '--max-old-space-size=1024';
/** The agent may run with these flags; a runner must not, since they slow the serving of requests. */
const AGENT_ONLY_FLAG = /^--(optimize-for-size$|v8-pool-size=)/;

const runnerFlags = (): string[] => [...process.execArgv.filter((flag) => !AGENT_ONLY_FLAG.test(flag)), HEAP_LIMIT];

const gibibytes = (bytes: number): string => `${(bytes / 2 ** 30).toFixed(1)} GiB`;

/** When memory runs out, the kernel then kills this runner rather than the agent with all its other runners. */
function preferForOomKill(pid: number | undefined): void {
  if (pid === undefined || process.platform !== 'linux') return;
  // Fails where the process has ended already. Its memory is limited in any case.
  writeFile(`/proc/${pid}/oom_score_adj`, '500', () => undefined);
}

/**
 * The environment variables that a runner inherits, which parses model files in native code: paths of programs, libraries and
 * devices, and how they allocate. All other settings come over the pipe.
 */
const INHERITED_VARIABLES =
  /^(PATH|HOME|TMPDIR|TZ|LANG|LC_ALL|LD_LIBRARY_PATH|MALLOC_ARENA_MAX|NODE_OPTIONS|NODE_ENV|(CUDA|NVIDIA|GGML|LLAMA|HIP|ROCR|HSA|VK|NODE_LLAMA_CPP)_.*)$/;

/**
 * The variables of a runner. `HOME` is always set: node-llama-cpp calls `os.homedir()`, which fails without it for a user that the
 * system does not list.
 * @param kernels folder for kernels that the driver compiles for its GPU, which takes up to a minute; null = it is not kept
 */
export const runnerEnvironment = (environment: NodeJS.ProcessEnv, kernels: string | null): NodeJS.ProcessEnv => ({
  HOME: tmpdir(),
  ...(kernels !== null && { CUDA_CACHE_PATH: kernels }),
  ...Object.fromEntries(Object.entries(environment).filter(([name]) => INHERITED_VARIABLES.test(name))),
});

/**
 * Folder for compiled kernels of a GPU, in that of downloads, which outlives a container where it is a volume. Null without a GPU, and
 * where runners are another user than the agent: what one of them writes would be run by those of other accounts.
 */
export const kernelFolder = (
  { GPU: gpu, MODEL_CACHE_DIR: models }: Pick<WorkerConfig, 'GPU' | 'MODEL_CACHE_DIR'>,
  isOtherUser: boolean,
): string | null => (gpu === 'off' || isOtherUser ? null : resolve(models, 'cuda-kernels'));

export interface RunnerChildOptions {
  /** Time without a message after which the process counts as hung, in milliseconds. */
  readonly silenceMs: number;
  /** Limit of the process's memory, mapped files left out, in bytes. */
  readonly memoryBytes: number;
  /** Folder for compiled kernels of a GPU; null = they are not kept. */
  readonly kernels: string | null;
}

/** A runner as its process sees it. */
export interface ChildRunner {
  readonly log: ItemLog;
  /** Whether it takes nothing new. */
  readonly settled: boolean;
  /** Takes the figures of a heartbeat. */
  report(figures: RunnerFigures): void;
  /** Takes a message about this runner. */
  receive(message: Exclude<RunnerMessage, { k: 'heartbeat' }>): void;
  /** The process has ended. */
  lost(detail: string): void;
}

/** A child process with one runner, or with several that serve adapters of one base. Its crash or hang does not affect the agent. */
export class RunnerChild {
  readonly #child: ChildProcess;
  /** Resolves when the process has ended. */
  readonly exited: Promise<void>;
  readonly #runners = new Map<string, ChildRunner>();
  readonly #endWatch: () => void;
  #taken = 0;
  #silentTicks = 0;
  #hasReported = false;
  #hung = false;
  #exceededMemory = false;
  #hasExited = false;

  constructor(private readonly options: RunnerChildOptions) {
    // oxlint-disable-next-line node/no-process-env -- what a child inherits is cut down here; it configures nothing
    const env = runnerEnvironment(process.env, options.kernels);
    this.#child = fork(RUNNER_MAIN, [], { stdio: ['ignore', 'inherit', 'pipe', 'ipc'], env, execArgv: runnerFlags() });
    preferForOomKill(this.#child.pid);
    const lines = new LineSplitter((text) => {
      for (const { log } of this.#all()) log.stderr(text);
    });
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      process.stderr.write(chunk);
      lines.push(chunk);
    });
    this.exited = new Promise((resolve) => {
      this.#child.once('exit', (code, signal) => {
        this.#onExit(code, signal);
        resolve();
      });
      // Emitted instead of `exit` when the process could not be started.
      this.#child.on('error', (error) => {
        if (this.#child.pid !== undefined) return;
        this.#ended(`The runner process could not be started (${(error as NodeJS.ErrnoException).code ?? error.name}).`);
        resolve();
      });
    });
    this.#child.on('message', (raw) => this.#receive(raw));
    this.#endWatch = eachSecond(() => this.#tick());
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Whether a further runner may join: not once the process may end with the last one. */
  get isOpen(): boolean {
    return !this.#hasExited && !this.#hung && this.#taken < RUNNERS_MAX && this.#all().some(({ settled }) => !settled);
  }

  /** Whether other runners of the process serve on when this one is gone. */
  isShared(runner: ChildRunner): boolean {
    return this.#all().some((other) => other !== runner && !other.settled);
  }

  /** Starts a runner in the process. */
  take(runner: ChildRunner, setup: RunnerSetup): void {
    this.#taken += 1;
    this.#runners.set(setup.wk, runner);
    this.send({ k: 'setup', setup });
  }

  send(message: AgentMessage): void {
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  /** Kills the process at once. */
  kill(): void {
    this.#child.kill('SIGKILL');
  }

  #all(): ChildRunner[] {
    return [...this.#runners.values()];
  }

  #receive(raw: unknown): void {
    this.#hasReported = true;
    this.#silentTicks = 0;
    const message = RunnerMessage.safeParse(raw).data;
    if (!message) return this.#logFault({}, 'runner.message_malformed');
    if (message.k === 'heartbeat') for (const { wk, figures } of message.runners) this.#runners.get(wk)?.report(figures);
    else this.#runners.get(message.wk)?.receive(message);
    if (message.k === 'left') this.#runners.delete(message.wk);
    return undefined;
  }

  // Counts ticks instead of time: while the agent itself was frozen, it received nothing from any runner.
  #tick(): void {
    this.#silentTicks += 1;
    this.#enforceMemoryLimit();
    const silenceMs = this.#hasReported ? this.options.silenceMs : Math.max(FIRST_MESSAGE_MS, this.options.silenceMs);
    if (this.#silentTicks * TICK_MS <= silenceMs || this.#hung) return;
    this.#hung = true;
    this.#logFault({ silence_ms: silenceMs }, 'runner.hung');
    this.kill();
  }

  #enforceMemoryLimit(): void {
    if (this.#exceededMemory) return;
    const { pid } = this.#child;
    const held = pid === undefined ? 0 : processMemory(pid);
    if (held <= this.options.memoryBytes) return;
    this.#exceededMemory = true;
    this.#logFault({ held, most: this.options.memoryBytes }, 'runner.memory_exceeded');
    this.kill();
  }

  #logFault(facts: object, event: Parameters<Logger['error']>[1]): void {
    for (const { log } of this.#all()) log.logger.error({ runner: this.pid, ...facts }, event);
  }

  #onExit(code: number | null, signal: NodeJS.Signals | null): void {
    this.#hasExited = true;
    this.#endWatch();
    const how = signal === null ? `with code ${code}` : `by ${signal}`;
    const most = gibibytes(this.options.memoryBytes);
    const ended = this.#exceededMemory ? `took more than ${most} of memory and was ended` : 'hung and was ended';
    this.#ended(this.#hung || this.#exceededMemory ? `The runner process ${ended}.` : `The runner process ended ${how}.`);
  }

  #ended(detail: string): void {
    for (const runner of this.#all()) runner.lost(detail);
    this.#runners.clear();
  }
}
