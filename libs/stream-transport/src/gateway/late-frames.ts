import { type ControlMessage, type Incarnation, readFrame } from '@slipway/contracts';
import type { Msg } from '@slipway/platform';
import { saysNobodyListens } from '../wire/server-verdict.js';
import type { AcknowledgedStream } from './worker-peers.js';
import { PastAttempts } from './past-attempts.js';
import type { ReceiverCounters } from './receiver-counters.js';

export interface LateFramesOptions {
  readonly counters: ReceiverCounters;
  /** Longer than any worker retains what is over. */
  readonly keepMs: number;
  readonly repeatMs: number;
  readonly finished: (wk: Incarnation, attempt: AcknowledgedStream) => void;
  readonly control: (wk: Incarnation, message: ControlMessage) => void;
}

/**
 * Answers frames of attempts that are over at this gateway: a worker that repeats an end hears again that it arrived, and one
 * that goes on is told to stop.
 */
export class LateFrames {
  readonly #past: PastAttempts;

  readonly #options: LateFramesOptions;

  constructor(options: LateFramesOptions, now: number) {
    this.#options = options;
    this.#past = new PastAttempts(options.keepMs, options.repeatMs, now);
  }

  /** An attempt is over; `cancelledAt` = when its worker was last told to stop. */
  expect(attempt: AcknowledgedStream & { readonly subject: string; readonly wk: Incarnation }, cancelledAt: number): void {
    this.#past.add(attempt.subject, { st: attempt.st, at: attempt.at, wk: attempt.wk }, cancelledAt);
  }

  arrived(msg: Msg, now: number): void {
    if (saysNobodyListens(msg)) return;
    const { counters, finished, control } = this.#options;
    counters.lateFrames += 1;
    const attempt = this.#past.find(msg.subject);
    const frame = readFrame(msg.string());
    if (!attempt || !frame || frame.k === 'rej') return;
    const { wk, st, at } = attempt;
    if (frame.k === 'end' || frame.k === 'err') finished(wk, { st, at, next: frame.q });
    else if (this.#past.mayCancel(msg.subject, now)) control(wk, { k: 'cancel', st, at, why: 'over' });
  }

  sweep(now: number): void {
    this.#past.sweep(now);
  }
}
