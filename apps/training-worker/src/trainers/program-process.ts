import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { diskFull, TrainingFault } from '../training-fault.js';
import { watchMemory } from './memory-watch.js';
import { isOwnFile } from './own-files.js';
import { type TrainerEvent, TrainerEventReader } from './trainer-events.js';
import { startArguments, type TrainerLimits, userFor } from './trainer-start.js';
import type { TrainerEnd, TrainerProcess, TrainerSink } from './trainer.js';

/** Time from `cancel` to SIGKILL, in milliseconds. */
const CANCEL_MS = 10_000;
/** Time from `pause` to SIGKILL, in milliseconds: a step and a checkpoint of a large model. */
const PAUSE_MS = 120_000;
const EVENTS = 3;
/** What is kept of the end of its output, for the reason of a crash. */
const KEPT_LINES = 40;
const LINE_CHARS = 500;

/**
 * Reads the program's process id, then waits for a second line, which says that the program has ended. The end of the pipe instead
 * means that this process is gone, however it ended: then the program is killed with all of its process group.
 */
const GUARD = 'read -r pid && { read -r ended || kill -s KILL -- "-$pid"; }';
/** Variables that a trainer inherits: paths of programs, libraries and devices. */
const INHERITED = /^(PATH|HOME|TMPDIR|TZ|LANG|LC_ALL|LD_LIBRARY_PATH|(CUDA|NVIDIA|HIP|ROCR|HSA)_.*)$/;

/** @param home of a user of its own, for all that it writes; null = as this process */
const environmentOf = (environment: NodeJS.ProcessEnv, home: string | null): NodeJS.ProcessEnv => ({
  HOME: tmpdir(),
  ...Object.fromEntries(Object.entries(environment).filter(([name]) => INHERITED.test(name))),
  ...(home !== null && { HOME: home, TMPDIR: home }),
  // Trainers of the torch family must not ask the hub for anything.
  HF_HUB_OFFLINE: '1',
});

/** A program and the folder of its run. */
export interface TrainerCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly folder: string;
  /** Whether it may reach the network; absent = it may not. */
  readonly network?: boolean;
  readonly limits?: TrainerLimits;
  /** The user that it shall run as where this process is root; absent or 0 = as this process. */
  readonly uid?: number;
  /** Absolute paths that it reads outside of its folder. */
  readonly reads?: readonly string[];
}

/** A trainer as a child of this process, which it never outlives. */
export class ProgramProcess implements TrainerProcess {
  readonly ended: Promise<TrainerEnd>;
  readonly #child: ChildProcess;
  readonly #guard: ChildProcess;
  readonly #last: string[] = [];
  #asked: 'pause' | 'cancel' | null = null;
  #saved: string | null = null;
  #failed: Extract<TrainerEvent, { ev: 'failed' }> | null = null;
  #overdue: NodeJS.Timeout | undefined;
  #unwatch: () => void = () => undefined;
  #isOver = false;

  constructor(
    private readonly command: TrainerCommand,
    private readonly sink: TrainerSink,
  ) {
    const { program, args, folder, network = false, limits = {} } = command;
    const uid = this.#user();
    // Sessions of their own: a terminal's Ctrl-C ends this process, which ends its trainers in order.
    this.#guard = spawn('/bin/sh', ['-c', GUARD], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
    this.#guard.stdin?.on('error', () => undefined);
    this.#child = spawn('/bin/sh', startArguments([program, ...args], { network, uid, limits }), {
      cwd: folder,
      // oxlint-disable-next-line node/no-process-env -- what a child inherits is cut down here; it configures nothing
      env: environmentOf(process.env, uid === null ? null : folder),
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
      detached: true,
    });
    if (this.#child.pid !== undefined) this.#guard.stdin?.write(`${this.#child.pid}\n`);
    for (const event of ['exit', 'error']) this.#guard.once(event, () => this.#kill());
    if (limits.memory !== undefined) this.#unwatch = watchMemory(this.pid, limits.memory, () => this.#end({ ...EXCESS }));
    this.#child.stdin?.on('error', () => undefined);
    this.#readEvents();
    for (const stream of [this.#child.stdout, this.#child.stderr]) this.#readLog(stream);
    this.ended = this.#follow();
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  pause(): void {
    this.#ask('pause', PAUSE_MS);
  }

  cancel(): void {
    this.#ask('cancel', CANCEL_MS);
  }

  kill(): void {
    this.#asked = 'cancel';
    this.#kill();
  }

  #user(): number | null {
    const { uid = 0, folder, program, args, reads = [] } = this.command;
    const user = userFor(uid, { folder, reads: [program, ...args, ...reads] });
    if (uid > 0 && user === null && process.getuid?.() === 0)
      this.sink.log(`The trainer runs as the user of its worker: the user ${uid} does not reach its program, its base or its folder.`);
    return user;
  }

  /** Kills it for a reason. */
  #end(failed: Extract<TrainerEvent, { ev: 'failed' }>): void {
    this.#failed ??= failed;
    this.#saved = null;
    this.#keep(failed.message);
    this.#kill();
  }

  #ask(word: 'pause' | 'cancel', withinMs: number): void {
    if (this.#isOver || this.#asked === 'cancel' || this.#asked === word) return;
    this.#asked = word;
    this.#child.stdin?.write(`${word}\n`);
    clearTimeout(this.#overdue);
    this.#overdue = setTimeout(() => this.#kill(), withinMs);
  }

  #readEvents(): void {
    const reader = new TrainerEventReader((event) => {
      const named = event.ev === 'saved' || event.ev === 'checkpoint' ? [event.path, ...pathsOf(event)] : [];
      if (named.some((path) => existsSync(join(this.command.folder, path)) && !isOwnFile(this.command.folder, path)))
        return this.#end({ ...FOREIGN });
      if (event.ev === 'saved') this.#saved = event.path;
      if (event.ev === 'failed') {
        this.#failed = event;
        this.#keep(event.message.slice(0, LINE_CHARS));
      }
      this.sink.event(event);
    });
    const events = this.#child.stdio[EVENTS] as NodeJS.ReadableStream;
    events.on('data', (chunk: Buffer) => reader.push(chunk));
    events.on('error', () => undefined);
    events.on('end', () => {
      if (reader.unread > 0) this.#keep(`${reader.unread} lines on file descriptor ${EVENTS} were no events.`);
    });
  }

  #readLog(stream: NodeJS.ReadableStream | null): void {
    let rest = '';
    stream?.setEncoding('utf8');
    stream?.on('data', (text: string) => {
      const lines = (rest + text).split(/\r?\n|\r/);
      rest = (lines.pop() ?? '').slice(0, LINE_CHARS);
      for (const line of lines) if (line.trim() !== '') this.#keep(line.slice(0, LINE_CHARS));
    });
    stream?.on('error', () => undefined);
  }

  #keep(line: string): void {
    this.#last.push(line);
    if (this.#last.length > KEPT_LINES) this.#last.shift();
    this.sink.log(line);
  }

  #kill(): void {
    const { pid } = this.#child;
    if (pid === undefined || this.#isOver) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // Nothing of its group is left.
    }
  }

  async #follow(): Promise<TrainerEnd> {
    const how = await endOf(this.#child);
    // What it started itself must not stay.
    this.#kill();
    this.#isOver = true;
    clearTimeout(this.#overdue);
    this.#unwatch();
    this.#guard.stdin?.end('ended\n');
    if (this.#saved !== null) return { kind: 'saved', path: join(this.command.folder, this.#saved) };
    if (this.#asked === 'cancel') return { kind: 'cancelled' };
    if (this.#asked === 'pause' && how.code === 0) return { kind: 'paused' };
    return { kind: 'failed', fault: faultOf(how, this.#failed, this.#last) };
  }
}

const EXCESS = { ev: 'failed', code: 'out_of_memory', message: 'The trainer took more memory than trainings may take here.' } as const;
const FOREIGN = { ev: 'failed', code: 'foreign_file', message: 'The trainer named a link, or a file that is not its own.' } as const;

const pathsOf = (event: TrainerEvent): string[] => (event.ev === 'checkpoint' && event.adapter !== undefined ? [event.adapter] : []);

interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
  readonly error?: string;
}

/** Resolves when all that the process wrote has been read, too. */
function endOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
    child.once('error', (error) => {
      if (child.pid === undefined) resolve({ code: null, signal: null, error: (error as NodeJS.ErrnoException).code ?? error.name });
    });
  });
}

const OUT_OF_MEMORY = /out of memory|bad_alloc|allocation failed|(failed|unable) to allocate|cannot allocate/i;

const DISK_FULL = /no space left on device|disk quota exceeded|ENOSPC|EDQUOT/i;

const codeOf = ({ code }: { code: string }): string => (/^[a-z][a-z0-9_]*$/.test(code) ? ` (${code})` : '');

/** What a shell reports of a program that it cannot run. */
const NOT_STARTED = [126, 127];

function faultOf(exit: Exit, failed: Extract<TrainerEvent, { ev: 'failed' }> | null, last: readonly string[]): TrainingFault {
  const text = last.join('\n');
  const known = failed ?? { code: '' };
  if (known.code === 'out_of_memory' || OUT_OF_MEMORY.test(text)) {
    return new TrainingFault('out_of_memory', 'The trainer ran out of memory. Use a smaller rank, or shorter examples.');
  }
  if (known.code === 'no_disk' || DISK_FULL.test(text)) return diskFull();
  // Its message may quote examples: that belongs into the log, which members alone read.
  if (failed) return new TrainingFault('trainer_failed', `The trainer gave up${codeOf(failed)}. The log of the job says why.`);
  return crashOf(exit, text);
}

function crashOf(exit: Exit, text: string): TrainingFault {
  const { code, error = null } = exit;
  if (error !== null || (code !== null && NOT_STARTED.includes(code)))
    return new TrainingFault('trainer_unavailable', `The trainer could not be started (${error ?? `code ${code}`}).`);
  const [assertion] = /GGML_ASSERT\(.*\) failed/.exec(text) ?? [];
  const why = assertion === undefined ? '' : ` ${assertion}.`;
  return new TrainingFault('trainer_crashed', `The trainer ended with ${inWords(exit)} and saved nothing.${why}`, { exit: code ?? -1 });
}

/** A shell reports a program that a signal ended with 128 and its number. */
const inWords = ({ code, signal }: Exit): string => signal ?? (code !== null && code > 128 ? `signal ${code - 128}` : `code ${code}`);
