import { isServiceError, type JobDesired, ReportTraining } from '@slipway/contracts';
import type { RpcClient } from '@slipway/platform';
import type { z } from 'zod';
import type { AttemptName } from './blob-files.js';

type Request = z.input<typeof ReportTraining.request>;
/** What a report says, beside the attempt and its number. */
export type Report = Omit<Request, keyof AttemptName | 'seq'>;
type Metric = NonNullable<Report['metrics']>[number];

/** Reports are sent once a second while there is something new. */
const EVERY_MS = 1_000;
/** Of one report; more waits for the next one. */
const MOST = { metrics: 2_000, events: 100, samples: 64, log: 500 };
/** Lines of the trainer that wait while tuning-service is away; older ones are dropped. */
const LOG_WAITING = 2_000;

export interface ReportQueueOptions {
  readonly rpc: RpcClient;
  readonly attempt: AttemptName;
  /** What the owner of the job wants now. */
  readonly onDesired: (desired: JobDesired) => unknown;
  /** Another worker has the job: nothing of this attempt counts any more. */
  readonly onSuperseded: () => void;
}

/**
 * Reports of one attempt. Each is repeated with its number until it is answered: then it is stored. Points of one step are one point
 * with all its figures, also when they come apart.
 */
export class ReportQueue {
  readonly #points = new Map<number, Metric>();
  readonly #changed = new Set<number>();
  /** Reports that say something once, in order. */
  readonly #parcels: Report[] = [];
  #events: NonNullable<Report['events']> = [];
  #samples: NonNullable<Report['samples']> = [];
  #log: NonNullable<Report['log']> = [];
  #seq = 0;
  #sending: Promise<void> | null = null;
  #closed = false;
  readonly #timer: NodeJS.Timeout;

  constructor(private readonly options: ReportQueueOptions) {
    this.#timer = setInterval(() => void this.#flush(), EVERY_MS);
  }

  point(point: Metric): void {
    const before = this.#points.get(point.step);
    const known = Object.fromEntries(Object.entries(point).filter(([, value]) => value !== null));
    this.#points.set(point.step, before ? { ...before, ...known } : point);
    this.#changed.add(point.step);
  }

  event(event: NonNullable<Report['events']>[number]): void {
    this.#events.push(event);
  }

  samples(samples: NonNullable<Report['samples']>): void {
    this.#samples.push(...samples);
  }

  log(text: string): void {
    this.#log.push({ at: new Date().toISOString(), text: text.slice(0, 1_000) });
    if (this.#log.length > LOG_WAITING) this.#log.shift();
  }

  /** Adds a report of its own, after all that came before it. */
  add(report: Report): void {
    this.#parcels.push(report);
  }

  /** Resolves when all that was added is answered, or the queue is closed. */
  async settled(): Promise<void> {
    while (!this.#closed && this.#hasMore()) {
      await this.#flush();
      if (this.#hasMore() && !this.#closed) await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    }
  }

  /** Sends nothing any more. */
  close(): void {
    this.#closed = true;
    clearInterval(this.#timer);
  }

  #hasMore(): boolean {
    return this.#parcels.length + this.#changed.size + this.#events.length + this.#samples.length + this.#log.length > 0;
  }

  #flush(): Promise<void> {
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = null;
    });
    return this.#sending;
  }

  async #sendAll(): Promise<void> {
    while (!this.#closed && this.#hasMore()) {
      const report = this.#next();
      this.#seq += 1;
      // Repeated by the next turn of the timer, with the same number.
      while (!this.#closed && !(await this.#send({ ...report, ...this.options.attempt, seq: this.#seq }))) {
        await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
      }
    }
  }

  #next(): Report {
    const steps = [...this.#changed].slice(0, MOST.metrics);
    for (const step of steps) this.#changed.delete(step);
    const metrics = steps.flatMap((step) => this.#points.get(step) ?? []);
    const [events, samples, log] = [
      this.#events.splice(0, MOST.events),
      this.#samples.splice(0, MOST.samples),
      this.#log.splice(0, MOST.log),
    ];
    const isRest = this.#changed.size + this.#events.length + this.#samples.length > 0;
    return {
      ...(metrics.length > 0 && { metrics }),
      ...(events.length > 0 && { events }),
      ...(samples.length > 0 && { samples }),
      ...(log.length > 0 && { log }),
      // What a parcel says comes after all that led to it.
      ...(isRest ? {} : this.#parcels.shift()),
    };
  }

  /** @returns whether it is stored */
  async #send(request: Request): Promise<boolean> {
    try {
      const { desired } = await this.options.rpc.call(ReportTraining, request);
      this.options.onDesired(desired);
      return true;
    } catch (error) {
      if (!isServiceError(error) || error.code !== 'attempt_superseded') return false;
      this.close();
      this.options.onSuperseded();
      return true;
    }
  }
}
