import { type RecordableHistogram, createHistogram } from 'node:perf_hooks';

/** Percentiles of durations, in milliseconds. */
export interface Summary {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Counts durations in Node's HDR histogram, to a thousandth of each. A duration below 1 µs counts as 1 µs, also a negative one. */
export class Histogram {
  /** In microseconds. */
  readonly #micros: RecordableHistogram = createHistogram({ figures: 3 });

  add(ms: number): void {
    this.#micros.record(Math.max(1, Math.round(ms * 1_000)));
  }

  summary(): Summary {
    const { count, max } = this.#micros;
    return { count, p50: this.#at(50), p99: this.#at(99), max: max / 1_000 };
  }

  #at(percentile: number): number {
    return this.#micros.count === 0 ? 0 : this.#micros.percentile(percentile) / 1_000;
  }
}
