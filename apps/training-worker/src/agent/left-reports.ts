import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isServiceError, ReportTraining } from '@slipway/contracts';
import type { Logger, RpcClient } from '@slipway/platform';
import { readJournal } from './report-journal.js';

const PAUSE_MS = 1_000;
const SUFFIX = '.jsonl';

/** Reports that a worker of this folder left behind when it died. */
export class LeftReports {
  readonly #folder: string;
  readonly #stop = new AbortController();
  #sending: Promise<void> = Promise.resolve();

  /** @param folder of jobs, which is one worker's own */
  constructor(
    folder: string,
    private readonly rpc: RpcClient,
    private readonly log: Logger,
  ) {
    this.#folder = join(folder, 'reports');
  }

  /** The file of an attempt's reports. */
  pathOf(job: number, attempt: number): string {
    return join(this.#folder, `${job}-${attempt}${SUFFIX}`);
  }

  /** Begins to send what was left; to be called before any job begins. */
  start(): void {
    mkdirSync(this.#folder, { recursive: true });
    const paths = readdirSync(this.#folder).map((name) => join(this.#folder, name));
    for (const path of paths.filter((each) => !each.endsWith(SUFFIX))) rmSync(path, { force: true });
    const left = paths.filter((each) => each.endsWith(SUFFIX));
    this.#sending = Promise.all(left.map((path) => this.#send(path))).then(() => undefined);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#sending;
  }

  async #send(path: string): Promise<void> {
    const { signal } = this.#stop;
    try {
      for (const request of readJournal(path) ?? []) {
        while (!signal.aborted && !(await this.#isTaken(request))) await pause(PAUSE_MS, undefined, { signal }).catch(() => undefined);
        if (signal.aborted) return;
      }
      rmSync(path, { force: true });
    } catch (error) {
      this.log.warn({ file: path, err: error }, 'trainer.left_reports_unreadable');
    }
  }

  /** @returns true also for one that is refused for good */
  async #isTaken(request: NonNullable<ReturnType<typeof readJournal>>[number]): Promise<boolean> {
    try {
      await this.rpc.call(ReportTraining, { ...request, late: true });
      return true;
    } catch (error) {
      const code = isServiceError(error) ? error.code : null;
      if (code === 'attempt_superseded' || code === 'invalid_request') return true;
      return false;
    }
  }
}
