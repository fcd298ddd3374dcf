import type { ServiceError } from '@slipway/contracts';
import type { Refusal } from '../types.js';
import type { Outcome, RejectFrame } from './attempt-host.js';
import {
  allBusy,
  corrupted,
  endedElsewhere,
  errorOf,
  notAnswered,
  notReachable,
  slowWorker,
  notUnderstood,
  tooLarge,
  tooSlow,
  workerLost,
} from './stream-errors.js';

/** Pause before a start that met workers which are still reconnecting is sent again. */
const SETTLE_PAUSE_MS = 100;
const LONGEST_BUSY_PAUSE_MS = 1_000;
/** Workers that a stream may meet that die on it, or are late, before it gives up: a request that is the cause reaches no third. */
const MAX_CASUALTIES = 2;
/** Starts that a worker could not read, or did not get whole, before the stream gives up. */
const MAX_HANDOVERS = 2;

/** What follows from how an attempt was over. */
export type Decision =
  | { readonly kind: 'complete' }
  | { readonly kind: 'fail'; readonly error: ServiceError }
  | { readonly kind: 'again'; readonly pauseMs: number; readonly exclude: boolean; readonly error: ServiceError | null };

export interface RetrySettings {
  readonly maxTries: number;
  readonly maxBusy: number;
}

const fail = (error: ServiceError): Decision => ({ kind: 'fail', error });

/** Decides for one stream whether it starts elsewhere. An attempt of which the client has seen something is never repeated. */
export class RetryPolicy {
  #tries = 0;
  #busy = 0;
  #handovers = 0;
  #casualties = 0;

  readonly #settings: RetrySettings;

  constructor(settings: RetrySettings) {
    this.#settings = settings;
  }

  decide(outcome: Outcome, delivered: boolean): Decision {
    switch (outcome.kind) {
      case 'end':
        return outcome.end.fin === 'done' ? { kind: 'complete' } : fail(endedElsewhere());
      case 'error': {
        const error = errorOf(outcome.frame);
        return outcome.frame.retry === 'other' ? this.#elsewhere(error, delivered, true) : fail(error);
      }
      case 'rejected':
        return this.#rejected(outcome.frame);
      case 'absent':
        if (outcome.settling) return { kind: 'again', pauseMs: SETTLE_PAUSE_MS, exclude: false, error: null };
        return this.#elsewhere(notReachable(), delivered, true);
      case 'late':
        return this.#onceElsewhere(slowWorker(), delivered);
      case 'silent':
        // What silenced one worker would silence the next.
        if (outcome.blame === 'this') return fail(outcome.accepted ? workerLost() : notAnswered());
        return this.#elsewhere(notAnswered(), delivered, true);
      case 'dead':
        return this.#onceElsewhere(workerLost(), delivered);
      case 'gone':
        return this.#elsewhere(workerLost(), delivered, false);
      case 'interrupted':
        return this.#elsewhere(notReachable(), delivered, false);
      case 'corrupt':
        return fail(corrupted());
      case 'too_large':
        return fail(tooLarge());
      case 'unsent':
        return fail(notReachable());
    }
  }

  #elsewhere(error: ServiceError, delivered: boolean, exclude: boolean): Decision {
    if (delivered) return fail(error);
    this.#tries += 1;
    return this.#tries >= this.#settings.maxTries ? fail(error) : { kind: 'again', pauseMs: 0, exclude, error };
  }

  #onceElsewhere(error: ServiceError, delivered: boolean): Decision {
    this.#casualties += 1;
    return this.#casualties >= MAX_CASUALTIES ? fail(error) : this.#elsewhere(error, delivered, true);
  }

  #rejected({ code, retry_ms: retryMs }: RejectFrame): Decision {
    switch (code) {
      case 'busy':
        return this.#whenFree(retryMs);
      case 'draining':
      case 'not_here':
        return { kind: 'again', pauseMs: 0, exclude: true, error: null };
      case 'deadline':
        return fail(tooSlow());
      case 'malformed':
      case 'incomplete':
        this.#handovers += 1;
        return this.#handovers >= MAX_HANDOVERS
          ? fail(notUnderstood())
          : { kind: 'again', pauseMs: 0, exclude: code === 'malformed', error: null };
    }
  }

  /** The first busy answer is a stale table and costs nothing; a chooser that goes on choosing full workers is slowed down. */
  #whenFree(retryMs: number): Decision {
    this.#busy += 1;
    if (this.#busy > this.#settings.maxBusy) return fail(allBusy());
    return { kind: 'again', pauseMs: this.#busy === 1 ? 0 : Math.min(retryMs, LONGEST_BUSY_PAUSE_MS), exclude: false, error: null };
  }
}

/** What the chooser should know of how an attempt was over; null = nothing that speaks about the worker. */
export function refusalOf(outcome: Outcome): Refusal | null {
  switch (outcome.kind) {
    case 'rejected':
      return { kind: 'rejected', code: outcome.frame.code, used: outcome.frame.used, slots: outcome.frame.slots };
    case 'absent':
      return outcome.settling ? null : { kind: 'absent' };
    case 'dead':
      return { kind: 'absent' };
    case 'silent':
      return { kind: 'silent' };
    default:
      return null;
  }
}
