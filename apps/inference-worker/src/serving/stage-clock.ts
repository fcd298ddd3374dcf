import type { StreamTimes } from '@slipway/contracts';

type Phase = 'queue' | 'prefill' | 'decode';

/** Measures how long one stream spent in which stage, in milliseconds. */
export class StageClock {
  readonly #started = performance.now();
  #prefill: number | undefined;
  #decode: number | undefined;

  /** The stream is in `phase` from now on; repeating it is harmless. */
  enter(phase: Phase): void {
    if (phase === 'prefill') this.#prefill ??= performance.now();
    if (phase === 'decode') this.#decode ??= performance.now();
  }

  /** Times so far. A stage that was never entered took no time. */
  times(): StreamTimes {
    const now = performance.now();
    const prefill = this.#prefill ?? this.#decode ?? now;
    const decode = this.#decode ?? now;
    const round = (ms: number): number => Math.max(0, Math.round(ms * 10) / 10);
    return { queue: round(prefill - this.#started), prefill: round(decode - prefill), total: round(now - this.#started) };
  }
}
