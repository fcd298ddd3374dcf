const BIN_MS = 0.02;
const LINEAR_BINS = 50_000;
const COARSE_MS = 10;
const COARSE_BINS = 12_000;
const LINEAR_MS = BIN_MS * LINEAR_BINS;

/** Percentiles of durations, in milliseconds. */
export interface Summary {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Counts durations in bins: 0.02 ms wide up to 1 s, 10 ms wide up to 2 min. What is negative counts as 0. */
export class Histogram {
  readonly #linear = new Uint32Array(LINEAR_BINS);
  readonly #coarse = new Uint32Array(COARSE_BINS);
  #count = 0;
  #max = 0;

  add(ms: number): void {
    this.#count += 1;
    if (ms > this.#max) this.#max = ms;
    const [bins, at] = ms < LINEAR_MS ? [this.#linear, ms / BIN_MS] : [this.#coarse, ms / COARSE_MS];
    const bin = Math.min(bins.length - 1, Math.max(0, Math.floor(at)));
    bins[bin] = (bins[bin] ?? 0) + 1;
  }

  summary(): Summary {
    return { count: this.#count, p50: this.#at(0.5), p99: this.#at(0.99), max: round(this.#max) };
  }

  /** Upper edge of the bin that holds the quantile, but never more than the largest value. */
  #at(quantile: number): number {
    let left = Math.ceil(quantile * this.#count);
    if (left === 0) return 0;
    for (const [bins, width] of [[this.#linear, BIN_MS] as const, [this.#coarse, COARSE_MS] as const]) {
      for (let bin = 0; bin < bins.length; bin += 1) {
        left -= bins[bin] ?? 0;
        if (left <= 0) return round(Math.min((bin + 1) * width, this.#max));
      }
    }
    return round(this.#max);
  }
}

const round = (ms: number): number => Math.round(ms * 1_000) / 1_000;
