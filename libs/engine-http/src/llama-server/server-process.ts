import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { EngineLoadError } from '@slipway/engine';
import type { Logger } from '@slipway/platform';

/** Time from SIGTERM to SIGKILL, in milliseconds. An agent gives its runner 1,500 ms to leave. */
const TERM_MS = 800;
/** What is kept of the end of its log, in characters. */
const KEPT_CHARS = 16_384;
/** Lines of its log that are handed on when it ends, and the most characters of one. */
const SAID = { lines: 8, chars: 500 };

/**
 * The guard: a shell that reads the server's process id, then waits for a second line. The runner writes that line when the
 * server has ended. The end of the pipe instead of it means that the runner is gone, however it ended, and the server is killed
 * with all of its process group.
 */
const GUARD = 'read -r pid && { read -r ended || kill -s KILL -- "-$pid"; }; rm -rf -- "$1"';

/** What the server inherits: all but what configures Node and this worker. A cache of prompts beyond the slots is no part of the model's memory need. */
const inherited = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  LLAMA_ARG_CACHE_RAM: '0',
  ...Object.fromEntries(Object.entries(environment).filter(([name]) => !/^(NODE_|LLAMA_SERVER)/.test(name))),
});

export interface ServerCommand {
  /** Absolute path of the binary. */
  readonly program: string;
  readonly args: readonly string[];
  /** The key that its callers must send. It is in the environment, because a command line is readable by every user. */
  readonly apiKey: string;
  /** Folder of its socket; removed when the server has ended. */
  readonly folder: string;
  readonly log: Logger;
}

/** Lines that name a fault of the program and cannot hold a prompt. */
const FAULTS = /GGML_ASSERT|terminate called|out of memory|failed to allocate|(CUDA|ROCm|Vulkan|Metal) error/;
/** Lines of llama.cpp's log at the level of errors, and what it prints before it has a log. */
const ERRORS = /^[\d.]+ E |^error\b|^llama-server:/;

/** How a server's end while it loaded is reported, by what it said last. The first match counts. */
const REASONS: readonly (readonly [said: RegExp, reason: EngineLoadError['reason'], message: string])[] = [
  [
    /out of memory|(failed|unable) to allocate|cannot allocate/i,
    'out_of_memory',
    'The worker has too little memory for this model with this context and these slots.',
  ],
  [
    /invalid argument|error while handling argument|unknown value/i,
    'engine_refused',
    'llama-server does not take its arguments; the log says which. Its version or LLAMA_SERVER_ARGS is wrong.',
  ],
  [
    /error loading model|failed to load model|model loading error/i,
    'model_invalid',
    'llama-server cannot load this file: it is damaged, incomplete, no GGUF model, or does not go with the options.',
  ],
];

/** A llama-server as the child of this process, which it never outlives. */
export class ServerProcess {
  /** Resolves when it has ended; says how, in words for a log. */
  readonly ended: Promise<string>;
  readonly #child: ChildProcess;
  readonly #guard: ChildProcess;
  readonly #log: Logger;
  #said = '';
  #isLoaded = false;
  /** Its process id may be another process's from here on. */
  #isOver = false;

  constructor({ program, args, apiKey, folder, log }: ServerCommand) {
    this.#log = log;
    // Sessions of their own: a terminal's Ctrl-C ends the runner, which first lets its streams end.
    this.#guard = spawn('/bin/sh', ['-c', GUARD, 'sh', folder], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
    // oxlint-disable-next-line node/no-process-env -- what a child inherits; it configures nothing here
    const env = { ...inherited(process.env), LLAMA_API_KEY: apiKey };
    this.#child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], env, detached: true });
    this.#guard.stdin?.on('error', () => undefined);
    if (this.#child.pid !== undefined) this.#guard.stdin?.write(`${this.#child.pid}\n`);
    // Without a guard it could outlive this process.
    for (const event of ['exit', 'error']) this.#guard.once(event, () => this.#kill('SIGKILL'));
    // A binary may be a script that started another one.
    this.#child.once('exit', () => this.#kill('SIGKILL'));
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.#said = (this.#said + text).slice(-KEPT_CHARS)));
    this.ended = this.#end();
  }

  /** From here on its log may quote requests: only lines that name a fault of the program are handed on. */
  loaded(): void {
    this.#isLoaded = true;
    this.#said = '';
  }

  /** Why it ended while it loaded. Call it when `ended` has resolved. */
  loadError(how: string): EngineLoadError {
    const known = REASONS.find(([said]) => said.test(this.#said));
    if (known) return new EngineLoadError(known[1], known[2]);
    return new EngineLoadError('engine_crashed', `llama-server ended while it loaded the model: ${how}.`);
  }

  /** Ends it, by force after 800 ms; resolves when nothing of it is left. Repeating it is harmless. */
  async stop(): Promise<void> {
    this.#kill('SIGTERM');
    const overdue = setTimeout(() => this.#kill('SIGKILL'), TERM_MS);
    await this.ended;
    clearTimeout(overdue);
  }

  #kill(signal: 'SIGTERM' | 'SIGKILL'): void {
    const { pid } = this.#child;
    if (pid === undefined || this.#isOver) return;
    try {
      process.kill(-pid, signal);
    } catch {
      // Nothing of its group is left.
    }
  }

  async #end(): Promise<string> {
    const how = await endOf(this.#child);
    this.#isOver = true;
    const guarded = this.#guard.exitCode === null && this.#guard.signalCode === null && this.#guard.pid !== undefined;
    const cleared = guarded ? once(this.#guard, 'exit') : null;
    this.#guard.stdin?.end(this.#child.pid === undefined ? '' : 'ended\n');
    await cleared?.catch(() => undefined);
    const said = this.#said.split('\n').filter((line) => (this.#isLoaded ? FAULTS : ERRORS).test(line));
    this.#log.info({ how, said: said.slice(-SAID.lines).map((line) => line.slice(0, SAID.chars)) }, 'llama_server.ended');
    return how;
  }
}

/** Resolves when all that a process wrote has been read, too. */
function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('close', (code, signal) => resolve(signal === null ? `code ${code}` : signal));
    child.once('error', (error) => {
      if (child.pid === undefined) resolve(`it could not be started (${(error as NodeJS.ErrnoException).code ?? error.name})`);
    });
  });
}
