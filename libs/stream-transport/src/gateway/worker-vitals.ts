import type { Incarnation } from '@slipway/contracts';

/** Workers that nobody has asked or heard for this long are forgotten, in milliseconds. */
const FORGET_MS = 60_000;

/** A start that was sent. */
export interface Debt {
  /** Whether the worker has said anything about it. */
  isAnswered: boolean;
}

const NEVER_ANSWERED: Readonly<Debt> = { isAnswered: false };

/** When a worker was last heard, and what it owes. Workers take starts in the order of their arrival. */
export class WorkerVitals {
  /** When anything of it arrived last, by the monotonic clock. */
  heardAt = Number.NEGATIVE_INFINITY;
  /** Starts that it has neither accepted nor rejected. */
  unanswered = 0;
  /** What a worker that fell silent will not answer; null = it speaks. */
  #silentOn: Readonly<Debt> | null = null;
  #newest: Debt | null = null;

  /** Notes a start. @returns it, and the one before it that the worker must answer first; null = it may begin with this one. */
  owe(): { readonly debt: Debt; readonly ahead: Readonly<Debt> | null } {
    const ahead = this.unanswered > 0 ? this.#newest : this.#silentOn;
    this.unanswered += 1;
    this.#newest = { isAnswered: false };
    return { debt: this.#newest, ahead };
  }

  heard(now: number): void {
    this.heardAt = now;
    this.#silentOn = null;
  }

  /** A start was given up for want of any sign of life. */
  fellSilent(): void {
    this.#silentOn = NEVER_ANSWERED;
  }
}

/** The vitals of all workers that a gateway has sent starts to. */
export class VitalsTable {
  readonly #workers = new Map<Incarnation, WorkerVitals>();

  of(wk: Incarnation): WorkerVitals {
    let vitals = this.#workers.get(wk);
    if (!vitals) this.#workers.set(wk, (vitals = new WorkerVitals()));
    return vitals;
  }

  /** The worker answered something that belongs to no stream. */
  heard(wk: Incarnation, now: number): void {
    this.#workers.get(wk)?.heard(now);
  }

  sweep(now: number): void {
    for (const [wk, { heardAt, unanswered }] of this.#workers) {
      if (unanswered === 0 && now - heardAt > FORGET_MS) this.#workers.delete(wk);
    }
  }
}
