import type { Incarnation, StreamId } from '@slipway/contracts';
import { TwiceSweptMap } from '../wire/twice-swept-map.js';

export interface PastAttempt {
  readonly st: StreamId;
  readonly at: number;
  readonly wk: Incarnation;
}

interface Remembered extends PastAttempt {
  cancelledAt: number;
}

/** Attempts that are over at this gateway but may not be at their workers, by frame subject. */
export class PastAttempts {
  readonly #attempts: TwiceSweptMap<string, Remembered>;

  readonly #repeatMs: number;

  /** `keepMs` must outlive what a worker retains after an end. */
  constructor(keepMs: number, repeatMs: number, now: number) {
    this.#repeatMs = repeatMs;
    this.#attempts = new TwiceSweptMap(keepMs, now);
  }

  /** `cancelledAt` = when a cancel was last sent for it; -Infinity = never. */
  add(subject: string, attempt: PastAttempt, cancelledAt: number): void {
    this.#attempts.set(subject, { ...attempt, cancelledAt });
  }

  find(subject: string): PastAttempt | undefined {
    return this.#attempts.get(subject);
  }

  /** True when a cancel may be sent for the attempt now; counts it as sent. */
  mayCancel(subject: string, now: number): boolean {
    const attempt = this.#attempts.get(subject);
    if (!attempt || now - attempt.cancelledAt < this.#repeatMs) return false;
    attempt.cancelledAt = now;
    return true;
  }

  sweep(now: number): void {
    this.#attempts.sweep(now);
  }
}
