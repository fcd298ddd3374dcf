import { join } from 'node:path';
import type { Progress } from '../../../scripts/lib/progress.mjs';
import { StartError } from '../../../scripts/lib/start-error.mjs';
import type { DataDir } from './data-dir.js';
import { RunRecords } from './run-records.js';
import { type ProcessSpec, SupervisedProcess } from './supervised-process.js';

const TRIM_LOGS_EACH_MS = 30_000;

/** Starts all processes of the launcher, restarts them, and stops them in reverse order. */
export class Supervisor {
  readonly #progress: Progress;
  readonly #dataDir: DataDir;
  readonly #all: SupervisedProcess[] = [];
  readonly #records: RunRecords;
  readonly #trimming: NodeJS.Timeout;
  #stopping = false;
  #fail: (error: Error) => void = () => undefined;
  /** Rejects with the last lines of a process's log when it ends before `supervise` was called. */
  readonly failure: Promise<never>;

  constructor(progress: Progress, dataDir: DataDir) {
    this.#progress = progress;
    this.#dataDir = dataDir;
    this.#records = new RunRecords(dataDir.run);
    this.failure = new Promise<never>((_, reject) => {
      this.#fail = reject;
    });
    this.failure.catch(() => undefined);
    this.#trimming = setInterval(() => {
      for (const process of this.#all) process.trimLog();
    }, TRIM_LOGS_EACH_MS).unref();
  }

  /** @returns the pid of the process; null when it was not started */
  start(spec: ProcessSpec): number | null {
    if (this.#stopping) return null;
    const process = new SupervisedProcess(spec, {
      records: this.#records,
      progress: this.#progress,
      logPath: join(this.#dataDir.logs, `${spec.name}.log`),
      failed: (text) => this.#fail(new StartError(text)),
    });
    this.#all.push(process);
    process.start();
    return process.pid;
  }

  /** Ends the start phase: from now on processes are restarted. */
  supervise(): void {
    for (const process of this.#all) process.supervise();
  }

  /** Stops everything in reverse order, the processes of one tier together. */
  async stop(): Promise<void> {
    this.#stopping = true;
    clearInterval(this.#trimming);
    const tiers = [...new Set(this.#all.map(({ spec }) => spec.tier))].sort((a, b) => b - a);
    for (const tier of tiers) {
      await Promise.all(this.#all.filter(({ spec }) => spec.tier === tier).map((process) => process.stop()));
    }
  }

  /** Kills everything. */
  async kill(): Promise<void> {
    this.#stopping = true;
    clearInterval(this.#trimming);
    await Promise.all(this.#all.map((process) => process.kill()));
  }
}
