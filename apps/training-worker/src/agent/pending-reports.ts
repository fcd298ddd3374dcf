import type { ReportTraining } from '@slipway/contracts';
import type { z } from 'zod';
import type { AttemptName } from './blob-files.js';

export type ReportRequest = z.input<typeof ReportTraining.request>;
/** What a report says, beside the attempt and its number. */
export type Report = Omit<ReportRequest, keyof AttemptName | 'seq' | 'late'>;
export type Metric = NonNullable<Report['metrics']>[number];
export type ReportedEvent = NonNullable<Report['events']>[number];
type Log = NonNullable<Report['log']>;

/** Of one report; more waits for the next one. */
const MOST = { metrics: 2_000, events: 100, samples: 64, log: 500 };
/** Lines of the trainer that wait while tuning-service is away; older ones are dropped. */
const LOG_WAITING = 2_000;

/** Something that is to be reported. */
export type Arrival =
  | { readonly k: 'point'; readonly point: Metric }
  | { readonly k: 'event'; readonly event: ReportedEvent }
  | { readonly k: 'samples'; readonly samples: NonNullable<Report['samples']> }
  | { readonly k: 'log'; readonly line: Log[number] }
  /** A report of its own, after all that came before it. */
  | { readonly k: 'parcel'; readonly report: Report };

/** What waits to be reported. The same arrivals in the same order give the same reports. */
export class PendingReports {
  readonly #points = new Map<number, Metric>();
  readonly #parcels: Report[] = [];
  readonly #events: ReportedEvent[] = [];
  readonly #samples: NonNullable<Report['samples']> = [];
  readonly #log: Log = [];

  take(arrival: Arrival): void {
    if (arrival.k === 'point') this.#point(arrival.point);
    if (arrival.k === 'event') this.#events.push(arrival.event);
    if (arrival.k === 'samples') this.#samples.push(...arrival.samples);
    if (arrival.k === 'parcel') this.#parcels.push(arrival.report);
    if (arrival.k !== 'log') return;
    this.#log.push(arrival.line);
    if (this.#log.length > LOG_WAITING) this.#log.shift();
  }

  get hasMore(): boolean {
    return this.#parcels.length + this.#points.size + this.#events.length + this.#samples.length + this.#log.length > 0;
  }

  /** The next report; what it says waits no more. */
  next(): Report {
    const metrics = [...this.#points.values()].slice(0, MOST.metrics);
    for (const { step } of metrics) this.#points.delete(step);
    const events = this.#events.splice(0, MOST.events);
    const samples = this.#samples.splice(0, MOST.samples);
    const log = this.#log.splice(0, MOST.log);
    const [parcel] = this.#parcels;
    const isRest =
      this.#points.size + this.#events.length + this.#samples.length > 0 || (events.length > 0 && parcel?.events !== undefined);
    return {
      ...(metrics.length > 0 && { metrics }),
      ...(events.length > 0 && { events }),
      ...(samples.length > 0 && { samples }),
      ...(log.length > 0 && { log }),
      // What a parcel says comes after all that led to it.
      ...(isRest ? {} : this.#parcels.shift()),
    };
  }

  /** Points of one step that wait are one point with all its figures; tuning-service completes what it stored. */
  #point(point: Metric): void {
    const before = this.#points.get(point.step);
    const known = Object.fromEntries(Object.entries(point).filter(([, value]) => value !== null));
    this.#points.set(point.step, before ? { ...before, ...known } : point);
  }
}
