import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { Processes } from './first-stage.js';

const Record = z.object({
  name: z.string(),
  pid: z.int().positive(),
  started: z.string().nullable(),
  /** Signal that stops it in good order. */
  signal: z.enum(['SIGTERM', 'SIGINT']),
  /** Others need it, so it goes last. */
  base: z.boolean(),
});
export type RunRecord = z.output<typeof Record>;

const PATIENCE_MS = 5_000;

/**
 * Which processes a launcher started, in files that outlive it. They are written right after a
 * process was spawned, and name it by pid and start time.
 */
export class RunRecords {
  constructor(
    private readonly folder: string,
    private readonly processes: Processes,
  ) {}

  add(record: Omit<RunRecord, 'started'>): void {
    const started = this.processes.startTimeOf(record.pid);
    writeFileSync(this.#path(record.name), JSON.stringify({ ...record, started }), { mode: 0o600 });
  }

  remove(name: string): void {
    rmSync(this.#path(name), { force: true });
  }

  /**
   * Ends what an earlier launcher left behind, and what those processes started.
   * @returns the names of those that still ran
   */
  async endLeftovers(): Promise<string[]> {
    const records = this.#read();
    const left = records.filter((record) => this.#membersOf(record).length > 0);
    await this.#end(left.filter((record) => !record.base));
    await this.#end(left.filter((record) => record.base));
    for (const record of records) this.remove(record.name);
    return left.map((record) => record.name);
  }

  async #end(records: readonly RunRecord[]): Promise<void> {
    for (const record of records) {
      if (this.processes.isRunning(record)) signal(record.pid, record.signal);
    }
    await this.#untilGone(records, PATIENCE_MS);
    for (const record of records) {
      for (const pid of this.#membersOf(record)) signal(pid, 'SIGKILL');
    }
    await this.#untilGone(records, PATIENCE_MS);
  }

  async #untilGone(records: readonly RunRecord[], withinMs: number): Promise<void> {
    const deadline = Date.now() + withinMs;
    while (Date.now() < deadline && records.some((record) => this.#membersOf(record).length > 0)) await delay(30);
  }

  /** A pid that was given to another process has no members of ours, unless that one is a session leader too. */
  #membersOf(record: RunRecord): readonly number[] {
    const now = this.processes.startTimeOf(record.pid);
    return now === null || now === record.started ? this.processes.sessionMembers(record.pid) : [];
  }

  #read(): RunRecord[] {
    const files = readdirSync(this.folder).filter((file) => file.endsWith('.json'));
    return files.flatMap((file) => {
      try {
        return [Record.parse(JSON.parse(readFileSync(join(this.folder, file), 'utf8')))];
      } catch {
        rmSync(join(this.folder, file), { force: true });
        return [];
      }
    });
  }

  #path(name: string): string {
    return join(this.folder, `${name}.json`);
  }
}

/** Sends a signal to a process that may be gone already. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
