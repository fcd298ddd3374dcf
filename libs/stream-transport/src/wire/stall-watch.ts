/** How regularly the event loop runs. `stalls on` = it has stalled tick after tick for longer than `patienceMs`. */
export type LoopPace = 'steady' | 'stalled' | 'stalls on';

export interface StallLimits {
  /** Distance of the ticks. */
  readonly tickMs: number;
  /** A tick later than this is a stall. */
  readonly stallMs: number;
  /** A series of stalls longer than this is `stalls on`. */
  readonly patienceMs: number;
}

/** Detects stalls of the event loop from the distance of regular ticks. */
export class StallWatch {
  #lastTick: number;
  /** When the first stall of the current series was noticed. */
  #stallingSince: number | null = null;

  readonly #limits: StallLimits;

  constructor(limits: StallLimits, now: number) {
    this.#limits = limits;
    this.#lastTick = now;
  }

  /** Call on every tick. A stall after a tick on time is `stalled`, however long it was. */
  pace(now: number): LoopPace {
    const { tickMs, stallMs, patienceMs } = this.#limits;
    const late = now - this.#lastTick - tickMs;
    this.#lastTick = now;
    if (late <= stallMs) {
      this.#stallingSince = null;
      return 'steady';
    }
    this.#stallingSince ??= now;
    return now - this.#stallingSince > patienceMs ? 'stalls on' : 'stalled';
  }
}
