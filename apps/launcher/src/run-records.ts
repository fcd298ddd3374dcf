import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Processes } from './first-stage.js';

/** What the next launcher must know of a process to end it, should this one be killed: see scripts/lib/leftovers.mjs. */
export interface RunRecord {
  readonly name: string;
  readonly pid: number;
  /** Signal that stops it in good order. */
  readonly signal: NodeJS.Signals;
  /** Others need it, so it goes last. */
  readonly base: boolean;
}

/**
 * Which processes run, in files that outlive the launcher. They are written right after a process was
 * spawned, and name it by pid and start time.
 */
export class RunRecords {
  constructor(
    private readonly folder: string,
    private readonly processes: Processes,
  ) {}

  add(record: RunRecord): void {
    const started = this.processes.startTimeOf(record.pid);
    const path = this.#path(record.name);
    // Whole or not at all: the next launcher must never find half a record.
    writeFileSync(`${path}.draft`, JSON.stringify({ ...record, started }), { mode: 0o600 });
    renameSync(`${path}.draft`, path);
  }

  remove(name: string): void {
    rmSync(this.#path(name), { force: true });
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
