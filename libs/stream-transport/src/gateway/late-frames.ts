import type { ControlMessage, Frame, Incarnation, StreamId } from '@slipway/contracts';
import type { ReceiverCounters } from './receiver-counters.js';
import type { AcknowledgedStream } from './worker-peers.js';

/** A map whose entries expire between one and two intervals after they were last set. */
export class TwiceSweptMap<K, V> {
  #young = new Map<K, V>();
  #old = new Map<K, V>();
  #sweptAt: number;

  readonly #intervalMs: number;

  constructor(intervalMs: number, now: number) {
    this.#intervalMs = intervalMs;
    this.#sweptAt = now;
  }

  get(key: K): V | undefined {
    return this.#young.get(key) ?? this.#old.get(key);
  }

  set(key: K, value: V): void {
    this.#young.set(key, value);
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  sweep(now: number): void {
    if (now - this.#sweptAt < this.#intervalMs) return;
    this.#sweptAt = now;
    this.#old = this.#young;
    this.#young = new Map();
  }
}

export interface LateFramesOptions {
  readonly counters: ReceiverCounters;
  /** Longer than any worker retains a finished attempt, in milliseconds. */
  readonly keepMs: number;
  /** Least time between two cancels of one attempt. */
  readonly repeatMs: number;
  readonly finished: (wk: Incarnation, attempt: AcknowledgedStream) => void;
  readonly control: (wk: Incarnation, message: ControlMessage) => void;
}

interface FinishedAttempt {
  readonly st: StreamId;
  readonly at: number;
  readonly wk: Incarnation;
  cancelledAt: number;
}

/**
 * Answers frames of attempts that this gateway has finished: a repeated end is acknowledged again, and a worker that still
 * sends output gets another cancel.
 */
export class LateFrames {
  /** By frame subject. */
  readonly #attempts: TwiceSweptMap<string, FinishedAttempt>;
  readonly #options: LateFramesOptions;

  constructor(options: LateFramesOptions, now: number) {
    this.#options = options;
    this.#attempts = new TwiceSweptMap(options.keepMs, now);
  }

  /** Remembers a finished attempt; `cancelledAt` = when its worker last got a cancel, -Infinity = never. */
  expect(attempt: AcknowledgedStream & { readonly subject: string; readonly wk: Incarnation }, cancelledAt: number): void {
    this.#attempts.set(attempt.subject, { st: attempt.st, at: attempt.at, wk: attempt.wk, cancelledAt });
  }

  /** @param frame null = unreadable by this version */
  arrived(subject: string, frame: Frame | null, now: number): void {
    const { counters, finished, control, repeatMs } = this.#options;
    counters.lateFrames += 1;
    const attempt = this.#attempts.get(subject);
    if (!attempt || !frame || frame.k === 'rej') return;
    const { wk, st, at } = attempt;
    if (frame.k === 'end' || frame.k === 'err') finished(wk, { st, at, next: frame.q });
    else if (now - attempt.cancelledAt >= repeatMs) {
      attempt.cancelledAt = now;
      control(wk, { k: 'cancel', st, at, why: 'over' });
    }
  }

  sweep(now: number): void {
    this.#attempts.sweep(now);
  }
}
