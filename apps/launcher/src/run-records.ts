import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startTimeOf } from '../../../scripts/lib/process-identity.mjs';

/** What the next launcher needs to end a process, if this launcher is killed: see scripts/lib/leftovers.mjs. */
export interface RunRecord {
  readonly name: string;
  readonly pid: number;
  /** Signal for an ordered stop. */
  readonly signal: NodeJS.Signals;
  /** Other processes need it, so it is stopped last. */
  readonly base: boolean;
}

/**
 * Which processes run, in files that outlive the launcher. They are written right after a process was
 * spawned, and name it by pid and start time.
 */
export class RunRecords {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  add(record: RunRecord): void {
    const started = startTimeOf(record.pid);
    const path = this.#path(record.name);
    // Whole or not at all: the next launcher must never find half a record.
    writeFileSync(`${path}.draft`, JSON.stringify({ ...record, started }), { mode: 0o600 });
    renameSync(`${path}.draft`, path);
  }

  remove(name: string): void {
    rmSync(this.#path(name), { force: true });
  }

  #path(name: string): string {
    return join(this.#folder, `${name}.json`);
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
