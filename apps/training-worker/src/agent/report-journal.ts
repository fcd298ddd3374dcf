import { closeSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { AttemptName } from './blob-files.js';
import { type Arrival, PendingReports, type ReportRequest } from './pending-reports.js';

/** Above this size it begins anew as soon as all of it is stored, in bytes. */
const LARGE_BYTES = 2 ** 20;
/** What may wait, in bytes. */
const JOURNAL_BYTES_MAX = 64 * 2 ** 20;

/** A line of the file: whose reports they are, what arrived, which reports were made of it, and which are stored. */
type Line =
  | { readonly k: 'attempt'; readonly name: AttemptName; readonly seq: number }
  | Arrival
  | { readonly k: 'made'; readonly seq: number }
  | { readonly k: 'stored'; readonly seq: number };

/** Reports of an attempt on the disk, so that a worker that dies loses none. Where the disk takes no more, they are in memory alone. */
export class ReportJournal {
  #file: number | null = null;
  #bytes = 0;

  constructor(
    private readonly path: string,
    private readonly name: AttemptName,
  ) {
    this.#begin(0);
  }

  /** Whether nothing more should wait in it. */
  get isFull(): boolean {
    return this.#bytes >= JOURNAL_BYTES_MAX;
  }

  write(line: Exclude<Line, { k: 'attempt' }>): void {
    this.#append(line);
  }

  /** All reports up to this number are stored, and nothing else waits. */
  settled(seq: number): void {
    if (this.#bytes > LARGE_BYTES) this.#begin(seq);
  }

  /** Closes it, and removes it where nothing in it is needed any more. */
  close({ isNeeded }: { readonly isNeeded: boolean }): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
    if (!isNeeded) rmSync(this.path, { force: true });
  }

  #begin(seq: number): void {
    try {
      mkdirSync(dirname(this.path), { recursive: true });
      if (this.#file !== null) closeSync(this.#file);
      this.#file = openSync(`${this.path}.new`, 'w', 0o600);
      this.#bytes = 0;
      this.#append({ k: 'attempt', name: this.name, seq });
      renameSync(`${this.path}.new`, this.path);
    } catch {
      this.#file = null;
    }
  }

  #append(line: Line): void {
    if (this.#file === null) return;
    const text = Buffer.from(`${JSON.stringify(line)}\n`);
    try {
      // Part of a line would spoil the next one.
      if (writeSync(this.#file, text) < text.length) throw new Error('The disk is full.');
      this.#bytes += text.length;
    } catch {
      closeSync(this.#file);
      this.#file = null;
    }
  }
}

/** The reports in a journal that are not known to be stored, in order; null for a file that is none. */
export function readJournal(path: string): ReportRequest[] | null {
  const [head, ...lines] = linesOf(readFileSync(path, 'utf8'));
  if (head?.k !== 'attempt') return null;
  const pending = new PendingReports();
  const made: ReportRequest[] = [];
  let [seq, stored] = [head.seq, head.seq];
  for (const line of lines) {
    if (line.k === 'stored') stored = line.seq;
    else if (line.k === 'made') made.push({ ...pending.next(), ...head.name, seq: (seq = line.seq) });
    else if (line.k !== 'attempt') pending.take(line);
  }
  while (pending.hasMore) made.push({ ...pending.next(), ...head.name, seq: (seq += 1) });
  return made.filter((request) => request.seq > stored);
}

/** The lines up to one that was cut off. */
function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  for (const line of text.split('\n')) {
    try {
      lines.push(JSON.parse(line) as Line);
    } catch {
      break;
    }
  }
  return lines;
}
