import { type ChildProcess, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NICE, STEP_BACK } from '../step-back.js';
import { diskFull, TrainingFault } from '../training-fault.js';
import { type TrainerEvent, TrainerEventReader } from './trainer-events.js';
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
/**
 * Serving goes first: training takes the CPU that is left, and is killed first when memory runs out. A crash leaves no image of its
 * memory, which holds text of examples, on the disk. It reaches no network where the
 * system lets this process take it away. Without the means for one of these it runs as it is.
 */
const START = `${STEP_BACK}
{ echo 500 > /proc/self/oom_score_adj; } 2>/dev/null
ulimit -c 0
if [ "$1" = alone ] && unshare -n true 2>/dev/null; then apart="unshare -n"; fi
shift
exec $apart ${NICE} "$@"`;

/** Variables that a trainer inherits: paths of programs, libraries and devices. */
const INHERITED = /^(PATH|HOME|TMPDIR|TZ|LANG|LC_ALL|LD_LIBRARY_PATH|(CUDA|NVIDIA|HIP|ROCR|HSA)_.*)$/;

const environmentOf = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  HOME: tmpdir(),
  ...Object.fromEntries(Object.entries(environment).filter(([name]) => INHERITED.test(name))),
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
  #isOver = false;

  constructor(
    private readonly command: TrainerCommand,
    private readonly sink: TrainerSink,
  ) {
    const { program, args, folder, network = false } = command;
    // Sessions of their own: a terminal's Ctrl-C ends this process, which ends its trainers in order.
    this.#guard = spawn('/bin/sh', ['-c', GUARD], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
    this.#guard.stdin?.on('error', () => undefined);
    this.#child = spawn('/bin/sh', ['-c', START, 'sh', network ? 'open' : 'alone', program, ...args], {
      cwd: folder,
      // oxlint-disable-next-line node/no-process-env -- what a child inherits is cut down here; it configures nothing
      env: environmentOf(process.env),
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
      detached: true,
    });
    if (this.#child.pid !== undefined) this.#guard.stdin?.write(`${this.#child.pid}\n`);
    for (const event of ['exit', 'error']) this.#guard.once(event, () => this.#kill());
    this.#child.stdin?.on('error', () => undefined);
    this.#readEvents();
    for (const stream of [this.#child.stdout, this.#child.stderr]) this.#readLog(stream);
    this.ended = this.#end();
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

  #ask(word: 'pause' | 'cancel', withinMs: number): void {
    if (this.#isOver || this.#asked === 'cancel' || this.#asked === word) return;
    this.#asked = word;
    this.#child.stdin?.write(`${word}\n`);
    clearTimeout(this.#overdue);
    this.#overdue = setTimeout(() => this.#kill(), withinMs);
  }

  #readEvents(): void {
    const reader = new TrainerEventReader((event) => {
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

  async #end(): Promise<TrainerEnd> {
    const how = await endOf(this.#child);
    // What it started itself must not stay.
    this.#kill();
    this.#isOver = true;
    clearTimeout(this.#overdue);
    this.#guard.stdin?.end('ended\n');
    if (this.#saved !== null) return { kind: 'saved', path: join(this.command.folder, this.#saved) };
    if (this.#asked === 'cancel') return { kind: 'cancelled' };
    if (this.#asked === 'pause' && how.code === 0) return { kind: 'paused' };
    return { kind: 'failed', fault: faultOf(how, this.#failed, this.#last) };
  }
}

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

const OUT_OF_MEMORY = /out of memory|bad_alloc|(failed|unable) to allocate|cannot allocate/i;

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
