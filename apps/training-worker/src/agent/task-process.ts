import { type ChildProcess, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { LogThreshold } from '@slipway/platform';
import type { FromTask, Task, ToTask } from '../job/job-messages.js';
import { NICE } from '../step-back.js';

const MAIN = fileURLToPath(new URL('../job/main.js', import.meta.url));
/** Time from a kill on request to SIGKILL, in milliseconds: trainers get 10 s to end. */
const END_WITHIN_MS = 12_000;

/** What a process of a task inherits: paths of programs, how npm reaches the registry, and devices. */
const INHERITED =
  /^(PATH|HOME|TMPDIR|TZ|LANG|LC_ALL|LD_LIBRARY_PATH|NODE_OPTIONS|NODE_ENV|npm_config_.*|NPM_CONFIG_.*|https?_proxy|HTTPS?_PROXY|no_proxy|NO_PROXY|NODE_EXTRA_CA_CERTS|SSL_CERT_.*|(CUDA|NVIDIA|GGML|LLAMA|HIP|ROCR|HSA|NODE_LLAMA_CPP)_.*)$/;

const environmentOf = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  HOME: tmpdir(),
  ...Object.fromEntries(Object.entries(environment).filter(([name]) => INHERITED.test(name))),
});

/** A task in a process of its own. */
export class TaskProcess {
  readonly #child: ChildProcess;
  /** Resolves when the process has ended, with its signal or code in words. */
  readonly ended: Promise<string>;
  #overdue: NodeJS.Timeout | undefined;

  constructor(task: Task, threshold: LogThreshold, onMessage: (message: FromTask) => void) {
    // oxlint-disable-next-line node/no-process-env -- what a child inherits is cut down here; it configures nothing
    const env = environmentOf(process.env);
    // Its trainer steps back further: what a job does beside it is short, and its reports are waited for.
    const begin = task.k === 'train' ? `exec ${NICE} "$@"` : 'exec "$@"';
    this.#child = spawn('/bin/sh', ['-c', begin, 'sh', process.execPath, ...process.execArgv, MAIN], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env,
      serialization: 'advanced',
    });
    this.#child.on('message', (message) => onMessage(message as FromTask));
    this.ended = new Promise((resolve) => {
      this.#child.once('close', (code, signal) => resolve(signal ?? `code ${code}`));
      this.#child.on('error', () => this.#child.pid ?? resolve('it could not be started'));
    });
    const follow = threshold.follow((level) => this.#send({ k: 'log level', level }));
    void this.ended.then(() => {
      follow();
      clearTimeout(this.#overdue);
    });
    this.#send({ k: 'task', task, logLevel: threshold.level });
  }

  /** Passes a stop on. */
  stop(how: Extract<ToTask, { k: 'stop' }>['how']): void {
    this.#send({ k: 'stop', how });
  }

  stored(no: number, ok: boolean): void {
    this.#send({ k: 'stored', no, ok });
  }

  /** Ends it, by force after 12 s. */
  end(): void {
    this.stop('cancel');
    this.#overdue ??= setTimeout(() => this.kill(), END_WITHIN_MS);
  }

  /** Ends it at once. Its trainer notices and ends, too. */
  kill(): void {
    this.#child.kill('SIGKILL');
  }

  #send(message: ToTask): void {
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }
}
