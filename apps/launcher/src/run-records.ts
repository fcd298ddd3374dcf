import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { startTimeOf } from '../../../scripts/lib/process-identity.mjs';
import { type DataDir, writePrivateFile } from './data-dir.js';

/** What the next launcher needs to end a process if this launcher is killed, see scripts/lib/leftovers.mjs. */
export interface RunRecord {
  readonly name: string;
  readonly pid: number;
  /** Signal of a graceful stop. */
  readonly signal: NodeJS.Signals;
  /** True if other processes need it: it is ended last. */
  readonly base: boolean;
}

/** Records of running processes in files that survive the launcher. A process is identified by pid and start time. */
export class RunRecords {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Writes the record of a process that was just spawned. */
  add(record: RunRecord): void {
    const started = startTimeOf(record.pid);
    const path = this.#path(record.name);
    // By rename, so that the next launcher never reads a partial record.
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

/** Sends a signal to a process that may have ended. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** In the folder of the records, whose files the next start removes. */
const controlFile = (dataDir: DataDir): string => join(dataDir.run, 'control.json');

/** Writes the addresses of this run for the command line; `consoleUrl` is absent until it is known. */
export const announceControl = (
  dataDir: DataDir,
  env: string,
  {
    url,
    credentialsOf,
    consoleUrl,
  }: { readonly url: string; readonly credentialsOf: (role: 'ops') => string; readonly consoleUrl?: string },
): Promise<void> =>
  writePrivateFile(
    controlFile(dataDir),
    JSON.stringify({ environment: env, nats_url: url, credentials_dir: resolve(credentialsOf('ops')), console_url: consoleUrl }),
  );

/** Removes the addresses: the command line then reports that nothing runs. */
export const withdrawControl = (dataDir: DataDir): Promise<void> => rm(controlFile(dataDir), { force: true });
