import { Injectable } from '@nestjs/common';
import { JOB_STATES, type JobState } from '@slipway/contracts';
import { Counter, Gauge, Histogram, Registry } from '@slipway/platform/metrics';

/** Figures of data sets and training for /metrics. */
@Injectable()
export class TuningMetrics {
  readonly #jobs: Gauge<'state'>;
  readonly #queue: Histogram;
  readonly #step: Histogram;
  readonly #attempts: Counter<'end'>;
  readonly #blobs: Gauge;
  readonly #certificate: Gauge<'file'>;
  readonly #distance: Histogram;

  constructor(metrics: Registry) {
    const registers = [metrics];
    this.#jobs = new Gauge({ name: 'slipway_tuning_jobs', help: 'Jobs that are not over, by state.', labelNames: ['state'], registers });
    this.#queue = new Histogram({
      name: 'slipway_tuning_queue_seconds',
      help: 'Time from queued to placed.',
      buckets: [1, 5, 30, 120, 600, 3_600, 21_600],
      registers,
    });
    this.#step = new Histogram({
      name: 'slipway_tuning_step_seconds',
      help: 'Time of a training step.',
      buckets: [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30],
      registers,
    });
    this.#attempts = new Counter({
      name: 'slipway_tuning_attempts_total',
      help: 'Attempts that ended, by how.',
      labelNames: ['end'],
      registers,
    });
    this.#blobs = new Gauge({ name: 'slipway_tuning_blob_bytes', help: 'Bytes of all stored blobs.', registers });
    this.#certificate = new Gauge({
      name: 'slipway_tuning_certificate_expiry_seconds',
      help: 'When the certificate that the blob door serves expires, in seconds since 1970.',
      labelNames: ['file'],
      registers,
    });
    this.#distance = new Histogram({
      name: 'slipway_tuning_witness_distance',
      help: 'Distance of adapters from their base.',
      buckets: [0.02, 0.1, 0.3, 1, 3, 10],
      registers,
    });
  }

  jobs(states: readonly JobState[]): void {
    for (const state of JOB_STATES) this.#jobs.set({ state }, states.filter((one) => one === state).length);
  }

  queued(seconds: number): void {
    this.#queue.observe(seconds);
  }

  steps(stepsPerSecond: number): void {
    if (stepsPerSecond > 0) this.#step.observe(1 / stepsPerSecond);
  }

  ended(end: string): void {
    this.#attempts.inc({ end });
  }

  blobs(bytes: number): void {
    this.#blobs.set(bytes);
  }

  /** @param expiry of the certificate that is served, in milliseconds since 1970 */
  certificate(expiry: number): void {
    this.#certificate.set({ file: 'cert' }, expiry / 1_000);
  }

  adapter(distance: number): void {
    this.#distance.observe(distance);
  }
}
