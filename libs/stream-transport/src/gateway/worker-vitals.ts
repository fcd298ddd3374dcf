import type { Incarnation } from '@slipway/contracts';

/** Workers without traffic for this long are dropped from the table, in milliseconds. */
const FORGET_MS = 60_000;

/** A start that was sent. */
export interface PendingStart {
  /** Whether a frame of it has arrived. */
  isAnswered: boolean;
}

const NEVER_ANSWERED: Readonly<PendingStart> = { isAnswered: false };

/** When a worker last sent anything, and which starts it has not answered. Workers handle starts in order of arrival. */
export class WorkerVitals {
  /** When its last message arrived, by the monotonic clock. */
  lastSeenAt = Number.NEGATIVE_INFINITY;
  /** Starts neither accepted nor rejected. */
  unanswered = 0;
  /** The start that a silent worker did not answer; null = the worker is not silent. */
  #silentOn: Readonly<PendingStart> | null = null;
  #newest: PendingStart | null = null;

  /** Records a start. @returns it, and the unanswered start before it that the worker must handle first; null = none. */
  startSent(): { readonly pending: PendingStart; readonly earlier: Readonly<PendingStart> | null } {
    const earlier = this.unanswered > 0 ? this.#newest : this.#silentOn;
    this.unanswered += 1;
    this.#newest = { isAnswered: false };
    return { pending: this.#newest, earlier };
  }

  seen(now: number): void {
    this.lastSeenAt = now;
    this.#silentOn = null;
  }

  /** A start timed out and the worker sent nothing meanwhile. */
  startTimedOut(): void {
    this.#silentOn = NEVER_ANSWERED;
  }
}

/** The vitals of all workers that this gateway has sent starts to. */
export class VitalsTable {
  readonly #workers = new Map<Incarnation, WorkerVitals>();

  of(wk: Incarnation): WorkerVitals {
    let vitals = this.#workers.get(wk);
    if (!vitals) this.#workers.set(wk, (vitals = new WorkerVitals()));
    return vitals;
  }

  /** A message of the worker arrived that belongs to no stream. */
  seen(wk: Incarnation, now: number): void {
    this.#workers.get(wk)?.seen(now);
  }

  sweep(now: number): void {
    for (const [wk, { lastSeenAt, unanswered }] of this.#workers) {
      if (unanswered === 0 && now - lastSeenAt > FORGET_MS) this.#workers.delete(wk);
    }
  }
}
