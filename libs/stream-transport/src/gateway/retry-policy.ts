import { type ErrorFrame, isErrorCode, isServiceError, ServiceError } from '@slipway/contracts';
import type { Refusal } from '../types.js';
import type { Outcome, RejectFrame } from './attempt-host.js';

export const workerLost = (): ServiceError => new ServiceError('worker_lost', 'The worker that was answering was lost.');

const notAnswered = (): ServiceError =>
  new ServiceError('deployment_unavailable', 'The worker did not answer the request; try again soon.', { retryAfterS: 2 });

const slowWorker = (): ServiceError =>
  new ServiceError('overloaded', 'The workers of this deployment are too busy to answer in time; try again soon.', { retryAfterS: 2 });

export const notReachable = (cause?: unknown): ServiceError =>
  new ServiceError('deployment_unavailable', 'No worker can be reached at the moment.', { retryAfterS: 2, cause });

const allBusy = (): ServiceError => new ServiceError('overloaded', 'All workers of this deployment are busy.', { retryAfterS: 1 });

export const tooSlow = (): ServiceError => new ServiceError('timeout', 'The model did not begin to answer in time.');

const tooLarge = (): ServiceError => new ServiceError('request_too_large', 'The request is too large.');

const corrupted = (): ServiceError => new ServiceError('engine_error', 'The answer arrived damaged.');

const notUnderstood = (): ServiceError => new ServiceError('internal', 'The request could not be handed to a worker.');

const endedElsewhere = (): ServiceError => new ServiceError('cancelled', 'The answer was cancelled.');

export const shuttingDown = (): ServiceError =>
  new ServiceError('server_shutting_down', 'The server is shutting down.', { retryAfterS: 1 });

/** The error that a worker ended a stream with; unknown codes come from newer workers. */
function errorOf({ code, msg, param, facts }: ErrorFrame): ServiceError {
  return new ServiceError(isErrorCode(code) ? code : 'engine_error', msg, { param, facts });
}

export const asServiceError = (err: unknown): ServiceError =>
  isServiceError(err) ? err : new ServiceError('internal', 'Something went wrong while the answer was produced.', { cause: err });

/** Pause before a start is sent again while workers are still reconnecting. */
const SETTLE_PAUSE_MS = 100;
const LONGEST_BUSY_PAUSE_MS = 1_000;
/** A stream gives up after this many workers died or were late, so that a request that kills workers reaches no third one. */
const MAX_LOST_WORKERS = 2;
/** A stream gives up after this many starts that a worker could not read or did not get whole. */
const MAX_UNREAD_STARTS = 2;

/** What a stream does after an attempt has ended. */
export type Decision =
  | { readonly kind: 'complete' }
  | { readonly kind: 'fail'; readonly error: ServiceError }
  | { readonly kind: 'again'; readonly pauseMs: number; readonly exclude: boolean; readonly error: ServiceError | null };

export interface RetrySettings {
  readonly maxTries: number;
  readonly maxBusy: number;
}

const fail = (error: ServiceError): Decision => ({ kind: 'fail', error });

/** Decides for one stream whether it starts at another worker. An attempt with delivered output is never repeated. */
export class RetryPolicy {
  #tries = 0;
  #busy = 0;
  #unreadStarts = 0;
  #lostWorkers = 0;

  readonly #settings: RetrySettings;

  constructor(settings: RetrySettings) {
    this.#settings = settings;
  }

  decide(outcome: Outcome, delivered: boolean): Decision {
    switch (outcome.kind) {
      case 'end':
        return outcome.end.fin === 'done' ? { kind: 'complete' } : fail(endedElsewhere());
      case 'error': {
        if (outcome.frame.waited && !delivered) return this.#whenFree(0);
        const error = errorOf(outcome.frame);
        return outcome.frame.retry === 'other' ? this.#elsewhere(error, delivered, true) : fail(error);
      }
      case 'rejected':
        return this.#rejected(outcome.frame);
      case 'absent':
        if (outcome.settling) return { kind: 'again', pauseMs: SETTLE_PAUSE_MS, exclude: false, error: null };
        return this.#elsewhere(notReachable(), delivered, true);
      case 'late':
        return this.#elsewhereOnce(slowWorker(), delivered);
      case 'silent':
        // A request that silenced one worker would silence the next.
        if (outcome.since === 'this_start') return fail(outcome.accepted ? workerLost() : notAnswered());
        return this.#elsewhere(notAnswered(), delivered, true);
      case 'dead':
        return this.#elsewhereOnce(workerLost(), delivered);
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

  #elsewhereOnce(error: ServiceError, delivered: boolean): Decision {
    this.#lostWorkers += 1;
    return this.#lostWorkers >= MAX_LOST_WORKERS ? fail(error) : this.#elsewhere(error, delivered, true);
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
        this.#unreadStarts += 1;
        return this.#unreadStarts >= MAX_UNREAD_STARTS
          ? fail(notUnderstood())
          : { kind: 'again', pauseMs: 0, exclude: code === 'malformed', error: null };
    }
  }

  /** The first busy answer comes from a stale load table and is retried at once; further ones wait, so that retries stay bounded. */
  #whenFree(retryMs: number): Decision {
    this.#busy += 1;
    if (this.#busy > this.#settings.maxBusy) return fail(allBusy());
    return { kind: 'again', pauseMs: this.#busy === 1 ? 0 : Math.min(retryMs, LONGEST_BUSY_PAUSE_MS), exclude: false, error: null };
  }
}

/** What the outcome means for the choice of workers; null = nothing. */
export function refusalOf(outcome: Outcome): Refusal | null {
  switch (outcome.kind) {
    case 'rejected':
      return { kind: 'rejected', code: outcome.frame.code, used: outcome.frame.used, slots: outcome.frame.slots };
    case 'error':
      return outcome.frame.waited ? { kind: 'full' } : null;
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
