/** How regularly the event loop runs. `stalls on` = it has stalled tick after tick for longer than `patienceMs`. */
export type LoopPace = 'steady' | 'stalled' | 'stalls on';

export interface StallLimits {
  /** A tick later than this is a stall. */
  readonly stallMs: number;
  /** A series of stalls longer than this is `stalls on`. */
  readonly patienceMs: number;
}

/** Detects stalls of the event loop from late ticks. */
export class StallWatch {
  /** When the first stall of the current series was noticed. */
  #stallingSince: number | null = null;

  readonly #limits: StallLimits;

  constructor(limits: StallLimits) {
    this.#limits = limits;
  }

  /**
   * Call on every tick. A stall after a tick on time is `stalled`, however long it was.
   * @param lateMs how late the tick is, in milliseconds
   */
  pace(now: number, lateMs: number): LoopPace {
    const { stallMs, patienceMs } = this.#limits;
    if (lateMs <= stallMs) {
      this.#stallingSince = null;
      return 'steady';
    }
    this.#stallingSince ??= now;
    return now - this.#stallingSince > patienceMs ? 'stalls on' : 'stalled';
  }
}
