import type { Incarnation } from '@slipway/contracts';

/** Workers that nobody has asked or heard for this long are forgotten, in milliseconds. */
const FORGET_MS = 60_000;

/** When a worker was last heard, and what it owes. Workers take starts in the order of their arrival. */
export class WorkerVitals {
  /** When anything of it arrived last, by the monotonic clock. */
  heardAt = Number.NEGATIVE_INFINITY;
  /** Starts that it has neither accepted nor rejected. */
  unanswered = 0;
  private isSilent = false;

  /** Whether a start that is sent now waits behind one that the worker has not answered: it cannot be what silenced it. */
  get isBehind(): boolean {
    return this.unanswered > 0 || this.isSilent;
  }

  heard(now: number): void {
    this.heardAt = now;
    this.isSilent = false;
  }

  /** A start was given up for want of any sign of life. */
  fellSilent(): void {
    this.isSilent = true;
  }
}

/** The vitals of all workers that a gateway has sent starts to. */
export class VitalsTable {
  private readonly workers = new Map<Incarnation, WorkerVitals>();

  of(wk: Incarnation): WorkerVitals {
    let vitals = this.workers.get(wk);
    if (!vitals) this.workers.set(wk, (vitals = new WorkerVitals()));
    return vitals;
  }

  /** The worker answered something that belongs to no stream. */
  heard(wk: Incarnation, now: number): void {
    this.workers.get(wk)?.heard(now);
  }

  sweep(now: number): void {
    for (const [wk, { heardAt, unanswered }] of this.workers) {
      if (unanswered === 0 && now - heardAt > FORGET_MS) this.workers.delete(wk);
    }
  }
}
