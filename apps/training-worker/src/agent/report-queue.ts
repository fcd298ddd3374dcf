import { isServiceError, type JobDesired, ReportTraining } from '@slipway/contracts';
import type { RpcClient } from '@slipway/platform';
import type { AttemptName } from './blob-files.js';
import { type Arrival, type Metric, PendingReports, type Report, type ReportedEvent, type ReportRequest } from './pending-reports.js';
import { ReportJournal } from './report-journal.js';

/** Reports are sent once a second while there is something new. */
const EVERY_MS = 1_000;

export interface ReportQueueOptions {
  readonly rpc: RpcClient;
  readonly attempt: AttemptName;
  /** The file in which reports wait, too. */
  readonly journal: string;
  /** What the owner of the job wants now. */
  readonly onDesired: (desired: JobDesired) => unknown;
  /** Another worker has the job: nothing of this attempt counts any more. */
  readonly onSuperseded: () => void;
}

/** Reports of one attempt. Each is repeated with its number until it is answered: then it is stored. */
export class ReportQueue {
  readonly #pending = new PendingReports();
  readonly #journal: ReportJournal;
  #seq = 0;
  #isSent = true;
  #leftOut = 0;
  #sending: Promise<void> | null = null;
  #closed = false;
  #superseded = false;
  readonly #timer: NodeJS.Timeout;

  constructor(private readonly options: ReportQueueOptions) {
    this.#journal = new ReportJournal(options.journal, options.attempt);
    this.#timer = setInterval(() => void this.#flush(), EVERY_MS);
  }

  /** Points of steps are left out while too much waits, except those with a held-out loss. */
  point(point: Metric): void {
    if (point.held_loss === null && this.#journal.isFull) this.#leaveOut();
    else this.#take({ k: 'point', point });
  }

  event(event: ReportedEvent): void {
    this.#take({ k: 'event', event });
  }

  samples(samples: NonNullable<Report['samples']>): void {
    this.#take({ k: 'samples', samples });
  }

  log(text: string): void {
    if (!this.#journal.isFull) this.#take({ k: 'log', line: { at: new Date().toISOString(), text: text.slice(0, 1_000) } });
  }

  /** Adds a report of its own, after all that came before it. */
  add(report: Report): void {
    this.#take({ k: 'parcel', report });
  }

  /** Resolves when all that was added is answered, or the queue is closed. */
  async settled(): Promise<void> {
    while (!this.#closed && this.#pending.hasMore) {
      await this.#flush();
      if (this.#pending.hasMore && !this.#closed) await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    }
  }

  /** Sends nothing any more. What was not answered stays in the journal, unless another worker has the job. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearInterval(this.#timer);
    const isNeeded = !this.#superseded && (this.#pending.hasMore || !this.#isSent);
    this.#journal.close({ isNeeded });
  }

  /** Closes it, and forgets what waits: nothing of the attempt counts any more. */
  drop(): void {
    this.#superseded = true;
    this.close();
  }

  #take(arrival: Arrival): void {
    this.#pending.take(arrival);
    if (!this.#closed) this.#journal.write(arrival);
  }

  #leaveOut(): void {
    if (this.#leftOut === 0) {
      const message = 'tuning-service is away for so long that the worker leaves points out of the curve.';
      this.event({ at: new Date().toISOString(), level: 'warn', code: 'points_left_out', message, data: {} });
    }
    this.#leftOut += 1;
  }

  #flush(): Promise<void> {
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = null;
    });
    return this.#sending;
  }

  async #sendAll(): Promise<void> {
    while (!this.#closed && this.#pending.hasMore) {
      this.#seq += 1;
      const report = this.#pending.next();
      this.#journal.write({ k: 'made', seq: this.#seq });
      this.#isSent = false;
      // Repeated by the next turn of the timer, with the same number.
      while (!this.#closed && !(await this.#send({ ...report, ...this.options.attempt, seq: this.#seq }))) {
        await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
      }
    }
  }

  /** @returns whether it is stored */
  async #send(request: ReportRequest): Promise<boolean> {
    try {
      const { desired } = await this.options.rpc.call(ReportTraining, request);
      this.#isSent = true;
      if (!this.#closed) this.#journal.write({ k: 'stored', seq: request.seq });
      if (!this.#closed && !this.#pending.hasMore) this.#journal.settled(request.seq);
      this.options.onDesired(desired);
      return true;
    } catch (error) {
      if (!isServiceError(error) || error.code !== 'attempt_superseded') return false;
      this.drop();
      this.options.onSuperseded();
      return true;
    }
  }
}
