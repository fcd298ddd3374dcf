/** Notices that the own event loop stood still, from the distance of ticks that should come regularly. */
export class StallWatch {
  private lastTick: number;

  constructor(
    private readonly tickMs: number,
    private readonly stallMs: number,
    now: number,
  ) {
    this.lastTick = now;
  }

  /** Call on every tick. @returns true when the loop was stopped for longer than the limit before it. */
  stalled(now: number): boolean {
    const late = now - this.lastTick - this.tickMs;
    this.lastTick = now;
    return late > this.stallMs;
  }
}
