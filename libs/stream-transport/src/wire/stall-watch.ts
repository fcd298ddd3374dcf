/** How the own event loop keeps time. `stalls on` = it has stood still again and again for longer than judging may wait. */
export type LoopPace = 'steady' | 'stalled' | 'stalls on';

export interface StallLimits {
  /** Distance of the ticks. */
  readonly tickMs: number;
  /** A tick later than this is a stall. */
  readonly stallMs: number;
  /** Stalls tick after tick count as stalls for so long from the first of them on. */
  readonly patienceMs: number;
}

/** Notices that the own event loop stood still, from the distance of ticks that should come regularly. */
export class StallWatch {
  #lastTick: number;
  /** When the first of the stalls was noticed behind which no tick was on time. */
  #stallingSince: number | null = null;

  readonly #limits: StallLimits;

  constructor(limits: StallLimits, now: number) {
    this.#limits = limits;
    this.#lastTick = now;
  }

  /** Call on every tick. A stall behind a tick that was on time is `stalled`, however long it was. */
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
