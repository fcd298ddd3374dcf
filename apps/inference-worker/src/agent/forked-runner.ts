import { type ChildProcess, fork } from 'node:child_process';
import { writeFile } from 'node:fs';
import { tmpdir } from 'node:os';
import { EngineLoadError } from '@slipway/engine';
import { type AgentMessage, type Farewell, LEAVE_WITHIN_MS, RunnerMessage, type RunnerSetup } from '../runner/runner-messages.js';
import { heldBy } from './memory.js';
import { LineSplitter } from './line-splitter.js';
import type { ItemLog } from './log-book.js';
import type { RunnerHandle, RunnerListener } from './runner-handle.js';

const RUNNER_MAIN = new URL('../runner/main.js', import.meta.url);
const TICK_MS = 1_000;
/** Until a process has read its code it cannot say anything, and a busy machine takes its time. */
const FIRST_WORD_MS = 60_000;
/** Time after a drain's deadline to free the engine and exit, in milliseconds. */
const EXIT_WITHIN_MS = 1_500;

/** A runner's own JavaScript is small; a model file that makes it large is hostile. */
const HEAP_LIMIT = '--max-old-space-size=1024';
/** The agent may run with it, as it only tells runners what to do; a runner is the hot path. */
const SMALL = '--optimize-for-size';

const runnerFlags = (): string[] => [...process.execArgv.filter((flag) => flag !== SMALL), HEAP_LIMIT];

const gibibytes = (bytes: number): string => `${(bytes / 2 ** 30).toFixed(1)} GiB`;

/** Where memory runs out the kernel ends the runner that took it, before the agent with all its other runners. */
function preferAsVictim(pid: number | undefined): void {
  if (pid === undefined || process.platform !== 'linux') return;
  // It may have ended already; and no promise hangs on it: its memory is watched besides.
  writeFile(`/proc/${pid}/oom_score_adj`, '500', () => undefined);
}

/**
 * What a runner, which feeds model files to native code, learns of its agent's environment: where programs and devices are. All
 * else it needs comes over the pipe.
 */
const KNOWN_TO_RUNNERS =
  /^(PATH|HOME|TMPDIR|TZ|LANG|LC_ALL|LD_LIBRARY_PATH|NODE_OPTIONS|NODE_ENV|(CUDA|NVIDIA|GGML|LLAMA|HIP|ROCR|HSA|VK|NODE_LLAMA_CPP)_.*)$/;

/** Its user need not be in the system's list of users, and then only `HOME` answers `os.homedir()`, which node-llama-cpp asks. */
const runnerEnvironment = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  HOME: tmpdir(),
  ...Object.fromEntries(Object.entries(environment).filter(([name]) => KNOWN_TO_RUNNERS.test(name))),
});

export interface ForkedRunnerOptions {
  readonly setup: RunnerSetup;
  readonly listener: RunnerListener;
  /** Silence after which the process counts as hung, in milliseconds. */
  readonly silenceMs: number;
  /** Memory that the process may take besides mapped files, in bytes. */
  readonly memoryBytes: number;
  readonly log: ItemLog;
}

/** A runner in a child process: a crash or a hang in it stays there. */
export class ForkedRunner implements RunnerHandle {
  readonly #child: ChildProcess;
  /** Resolves when the process has ended, however that came. */
  readonly exited: Promise<void>;
  readonly #watch: NodeJS.Timeout;
  #quietTicks = 0;
  #heard = false;
  /** Told to stop, or its end is already reported. */
  #settled = false;
  #hung = false;
  #greedy = false;
  #overdue: NodeJS.Timeout | undefined;
  #over = false;

  constructor(private readonly options: ForkedRunnerOptions) {
    // oxlint-disable-next-line node/no-process-env -- what a child inherits is cut down here; it configures nothing
    const env = runnerEnvironment(process.env);
    this.#child = fork(RUNNER_MAIN, [], { stdio: ['ignore', 'inherit', 'pipe', 'ipc'], env, execArgv: runnerFlags() });
    preferAsVictim(this.#child.pid);
    const lines = new LineSplitter(options.log.complained);
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      process.stderr.write(chunk);
      lines.push(chunk);
    });
    this.exited = new Promise((resolve) => {
      this.#child.once('exit', (code, signal) => {
        this.#onExit(code, signal);
        resolve();
      });
      // Emitted instead of `exit` when the process could not be started at all.
      this.#child.on('error', (error) => {
        if (this.#child.pid !== undefined) return;
        this.#report(true, `The runner process could not be started (${(error as NodeJS.ErrnoException).code ?? error.name}).`);
        resolve();
      });
    });
    this.#child.on('message', (raw) => this.#hear(raw));
    this.#watch = setInterval(() => this.#tick(), TICK_MS);
    this.#tell({ k: 'setup', setup: options.setup });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async stop(farewell: Farewell): Promise<void> {
    this.#settled = true;
    this.#tell({ k: 'drain', farewell });
    this.#endWithin(farewell.deadlineMs + EXIT_WITHIN_MS);
    await this.exited;
  }

  /** Hands on a newer proof of the runner's name. */
  renew(jwt: string): void {
    this.#tell({ k: 'renew', jwt });
  }

  /** Ends the process at once, whatever it does. */
  kill(): void {
    this.#child.kill('SIGKILL');
  }

  /** Of several times the last one counts. */
  #endWithin(ms: number): void {
    clearTimeout(this.#overdue);
    if (!this.#over) this.#overdue = setTimeout(() => this.kill(), ms);
  }

  #tell(message: AgentMessage): void {
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  #hear(raw: unknown): void {
    this.#heard = true;
    this.#quietTicks = 0;
    const message = RunnerMessage.safeParse(raw).data;
    if (!message) return this.options.log.logger.error({ runner: this.pid }, 'runner.message_malformed');
    const { listener } = this.options;
    if (message.k === 'beat' && message.figures) listener.figures(message.figures);
    if (message.k === 'log') for (const line of message.lines) this.options.log.logged(line);
    if (this.#settled) return undefined;
    if (message.k === 'progress') listener.progress(message.progress);
    if (message.k === 'ready') listener.ready(message.facts);
    if (message.k === 'draining') {
      this.#endWithin(this.options.setup.orphanDrainMs + LEAVE_WITHIN_MS);
      this.#report(false, 'The runner was told to end by somebody else.');
    }
    if (message.k === 'failed') {
      this.#settled = true;
      this.#endWithin(LEAVE_WITHIN_MS);
      listener.failed(new EngineLoadError(message.reason, message.detail));
    }
    return undefined;
  }

  // Turns of this process's own loop are counted, not time: while the agent itself was frozen, no runner is to blame.
  #tick(): void {
    this.#quietTicks += 1;
    this.#holdToMemory();
    const silenceMs = this.#heard ? this.options.silenceMs : Math.max(FIRST_WORD_MS, this.options.silenceMs);
    if (this.#quietTicks * TICK_MS <= silenceMs || this.#hung) return;
    this.#hung = true;
    this.options.log.logger.error({ runner: this.pid, silence_ms: silenceMs }, 'runner.hung');
    this.kill();
  }

  #holdToMemory(): void {
    if (this.#greedy) return;
    const held = heldBy(this.#child.pid ?? null);
    if (held <= this.options.memoryBytes) return;
    this.#greedy = true;
    this.options.log.logger.error({ runner: this.pid, held, most: this.options.memoryBytes }, 'runner.memory_exceeded');
    this.kill();
  }

  #onExit(code: number | null, signal: NodeJS.Signals | null): void {
    this.#over = true;
    clearInterval(this.#watch);
    clearTimeout(this.#overdue);
    const how = signal === null ? `with code ${code}` : `by ${signal}`;
    const ended = this.#greedy ? `took more than ${gibibytes(this.options.memoryBytes)} of memory and was ended` : 'hung and was ended';
    this.#report(true, this.#hung || this.#greedy ? `The runner process ${ended}.` : `The runner process ended ${how}.`);
  }

  #report(crash: boolean, detail: string): void {
    if (this.#settled) return;
    this.#settled = true;
    this.options.listener.gone({ crash, detail, over: this.exited });
  }
}
