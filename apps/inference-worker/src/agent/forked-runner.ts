import { type ChildProcess, fork } from 'node:child_process';
import { writeFile } from 'node:fs';
import { tmpdir } from 'node:os';
import { EngineLoadError } from '@slipway/engine';
import { eachSecond } from '@slipway/platform';
import { type AgentMessage, type DrainOptions, LEAVE_WITHIN_MS, RunnerMessage, type RunnerSetup } from '../runner/runner-messages.js';
import { heldBy } from './memory.js';
import { LineSplitter } from './line-splitter.js';
import type { ItemLog } from './log-book.js';
import type { RunnerHandle, RunnerListener } from './runner-handle.js';

const RUNNER_MAIN = new URL('../runner/main.js', import.meta.url);
/** The watch ticks once a second, in milliseconds. */
const TICK_MS = 1_000;
/** Least time for the first message of a process, which must load its code first, in milliseconds. */
const FIRST_MESSAGE_MS = 60_000;
/** Time after a drain's deadline to free the engine and exit, in milliseconds. */
const EXIT_WITHIN_MS = 1_500;

/** Bounds the JavaScript heap of a runner, which is small; only a hostile model file needs more. */
const HEAP_LIMIT = '--max-old-space-size=1024';
/** The agent may run with this flag; a runner must not, since it slows the serving of requests. */
const AGENT_ONLY_FLAG = '--optimize-for-size';

const runnerFlags = (): string[] => [...process.execArgv.filter((flag) => flag !== AGENT_ONLY_FLAG), HEAP_LIMIT];

const gibibytes = (bytes: number): string => `${(bytes / 2 ** 30).toFixed(1)} GiB`;

/** When memory runs out, the kernel then kills this runner rather than the agent with all its other runners. */
function preferForOomKill(pid: number | undefined): void {
  if (pid === undefined || process.platform !== 'linux') return;
  // Fails where the process has ended already. Its memory is limited in any case.
  writeFile(`/proc/${pid}/oom_score_adj`, '500', () => undefined);
}

/**
 * The environment variables that a runner inherits, which parses model files in native code: paths of programs, libraries and
 * devices. All other settings come over the pipe.
 */
const INHERITED_VARIABLES =
  /^(PATH|HOME|TMPDIR|TZ|LANG|LC_ALL|LD_LIBRARY_PATH|NODE_OPTIONS|NODE_ENV|(CUDA|NVIDIA|GGML|LLAMA|HIP|ROCR|HSA|VK|NODE_LLAMA_CPP)_.*)$/;

/** `HOME` is always set: node-llama-cpp calls `os.homedir()`, which fails without it for a user that the system does not list. */
const runnerEnvironment = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  HOME: tmpdir(),
  ...Object.fromEntries(Object.entries(environment).filter(([name]) => INHERITED_VARIABLES.test(name))),
});

export interface ForkedRunnerOptions {
  readonly setup: RunnerSetup;
  readonly listener: RunnerListener;
  /** Time without a message after which the process counts as hung, in milliseconds. */
  readonly silenceMs: number;
  /** Limit of the process's memory, mapped files left out, in bytes. */
  readonly memoryBytes: number;
  readonly log: ItemLog;
}

/** A runner in a child process: its crash or hang does not affect the agent. */
export class ForkedRunner implements RunnerHandle {
  readonly #child: ChildProcess;
  /** Resolves when the process has ended. */
  readonly exited: Promise<void>;
  readonly #endWatch: () => void;
  #silentTicks = 0;
  #hasReported = false;
  /** Asked to stop, or its end is reported already. */
  #settled = false;
  #hung = false;
  #exceededMemory = false;
  #killTimer: NodeJS.Timeout | undefined;
  #hasExited = false;

  constructor(private readonly options: ForkedRunnerOptions) {
    // oxlint-disable-next-line node/no-process-env -- what a child inherits is cut down here; it configures nothing
    const env = runnerEnvironment(process.env);
    this.#child = fork(RUNNER_MAIN, [], { stdio: ['ignore', 'inherit', 'pipe', 'ipc'], env, execArgv: runnerFlags() });
    preferForOomKill(this.#child.pid);
    const lines = new LineSplitter(options.log.stderr);
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
        this.#report(true, `The runner process could not be started (${(error as NodeJS.ErrnoException).code ?? error.name}).`);
        resolve();
      });
    });
    this.#child.on('message', (raw) => this.#receive(raw));
    this.#endWatch = eachSecond(() => this.#tick());
    this.#send({ k: 'setup', setup: options.setup });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async stop(options: DrainOptions): Promise<void> {
    this.#settled = true;
    this.#send({ k: 'drain', options });
    this.#killAfter(options.deadlineMs + EXIT_WITHIN_MS);
    await this.exited;
  }

  /** Sends the runner a renewed JWT of its name. */
  renew(jwt: string): void {
    this.#send({ k: 'renew', jwt });
  }

  /** Kills the process at once. */
  kill(): void {
    this.#child.kill('SIGKILL');
  }

  /** A later call replaces the time of an earlier one. */
  #killAfter(ms: number): void {
    clearTimeout(this.#killTimer);
    if (!this.#hasExited) this.#killTimer = setTimeout(() => this.kill(), ms);
  }

  #send(message: AgentMessage): void {
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  #receive(raw: unknown): void {
    this.#hasReported = true;
    this.#silentTicks = 0;
    const message = RunnerMessage.safeParse(raw).data;
    if (!message) return this.options.log.logger.error({ runner: this.pid }, 'runner.message_malformed');
    const { listener } = this.options;
    if (message.k === 'heartbeat' && message.figures) listener.figures(message.figures);
    if (message.k === 'log') for (const line of message.lines) this.options.log.logged(line);
    if (this.#settled) return undefined;
    if (message.k === 'progress') listener.progress(message.progress);
    if (message.k === 'ready') listener.ready(message.facts);
    if (message.k === 'draining') {
      this.#killAfter(this.options.setup.orphanDrainMs + LEAVE_WITHIN_MS);
      this.#report(false, 'The runner drained without a request of its agent.');
    }
    if (message.k === 'failed') {
      this.#settled = true;
      this.#killAfter(LEAVE_WITHIN_MS);
      listener.failed(new EngineLoadError(message.reason, message.detail));
    }
    return undefined;
  }

  // Counts ticks instead of time: while the agent itself was frozen, it received nothing from any runner.
  #tick(): void {
    this.#silentTicks += 1;
    this.#enforceMemoryLimit();
    const silenceMs = this.#hasReported ? this.options.silenceMs : Math.max(FIRST_MESSAGE_MS, this.options.silenceMs);
    if (this.#silentTicks * TICK_MS <= silenceMs || this.#hung) return;
    this.#hung = true;
    this.options.log.logger.error({ runner: this.pid, silence_ms: silenceMs }, 'runner.hung');
    this.kill();
  }

  #enforceMemoryLimit(): void {
    if (this.#exceededMemory) return;
    const held = heldBy(this.#child.pid ?? null);
    if (held <= this.options.memoryBytes) return;
    this.#exceededMemory = true;
    this.options.log.logger.error({ runner: this.pid, held, most: this.options.memoryBytes }, 'runner.memory_exceeded');
    this.kill();
  }

  #onExit(code: number | null, signal: NodeJS.Signals | null): void {
    this.#hasExited = true;
    this.#endWatch();
    clearTimeout(this.#killTimer);
    const how = signal === null ? `with code ${code}` : `by ${signal}`;
    const ended = this.#exceededMemory
      ? `took more than ${gibibytes(this.options.memoryBytes)} of memory and was ended`
      : 'hung and was ended';
    this.#report(true, this.#hung || this.#exceededMemory ? `The runner process ${ended}.` : `The runner process ended ${how}.`);
  }

  #report(crash: boolean, detail: string): void {
    if (this.#settled) return;
    this.#settled = true;
    this.options.listener.gone({ crash, detail, over: this.exited });
  }
}
