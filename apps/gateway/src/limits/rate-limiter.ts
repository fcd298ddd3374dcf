import type { ServerResponse } from 'node:http';
import { type Limits, ServiceError } from '@slipway/contracts';
import type { Caller } from '../auth/key-verifier.service.js';
import { type LimitOwner, LimitState, type LimitViolation } from './limit-state.js';

/** Longest wait that `retry-after` names, in milliseconds; clients ignore longer ones. */
const WAIT_MS_MAX = 30_000;

/** Response headers as name and value. */
type LimitHeaders = readonly (readonly [name: string, value: string])[];

type Measure = 'requests' | 'tokens';

/** A duration in Go's notation, which client libraries parse: `12ms`, `1s`, `6m0s`. */
export function goDuration(ms: number): string {
  const whole = Math.ceil(ms);
  if (whole < 1_000) return `${whole}ms`;
  const seconds = Math.ceil(whole / 1_000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}

const remaining = (state: LimitState, measure: Measure, now: number): number =>
  Math.max(0, Math.floor(state[measure].limit - state[measure].taken(now)));

/** The `x-ratelimit-*` headers of a response. Where key and account both have a limit, the one with less remaining is reported. */
function limitHeaders(states: readonly LimitState[], now: number): LimitHeaders {
  const headers: [string, string][] = [];
  for (const measure of ['requests', 'tokens'] as const) {
    let least: LimitState | undefined;
    for (const state of states) {
      if (!Number.isFinite(state[measure].limit)) continue;
      if (!least || remaining(state, measure, now) < remaining(least, measure, now)) least = state;
    }
    if (!least) continue;
    headers.push(
      [`x-ratelimit-limit-${measure}`, String(least[measure].limit)],
      [`x-ratelimit-remaining-${measure}`, String(remaining(least, measure, now))],
      [`x-ratelimit-reset-${measure}`, goDuration(least[measure].emptyIn(now))],
    );
  }
  return headers;
}

/** Sets the limit headers of a response that has not begun. */
export function setLimitHeaders(response: Pick<ServerResponse, 'setHeader'>, headers: LimitHeaders): void {
  for (const [name, value] of headers) response.setHeader(name, value);
}

/** `rate_limit_exceeded`, with the limit headers of its response. */
export class LimitExceeded extends ServiceError {
  constructor(
    violation: LimitViolation,
    readonly state: LimitState,
    readonly headers: LimitHeaders,
  ) {
    super('rate_limit_exceeded', messageOf(violation, state), {
      retryAfterS: Math.ceil(Math.min(WAIT_MS_MAX, violation.waitMs) / 1_000),
      facts: { limited: violation.of === 'requests' || violation.of === 'concurrent' ? 'requests' : 'tokens' },
    });
  }
}

const UNITS: Record<LimitViolation['of'], string> = {
  requests: 'requests per minute',
  tokens: 'tokens per minute',
  concurrent: 'requests at once',
  day: 'tokens per day (UTC)',
  month: 'tokens per month (UTC)',
};

function messageOf({ of, limit }: LimitViolation, { kind }: LimitState): string {
  const owner = kind === 'key' ? 'This API key' : 'This account';
  const advice =
    of === 'day' || of === 'month'
      ? `It is used up until the next ${of}, counting what running requests may still need.`
      : 'Try again soon.';
  return `${owner} is limited to ${limit} ${UNITS[of]}. ${advice}`;
}

const MINUTE_MS = 60_000;
/** Share of a limit that may be taken before the other gateways are informed at once. */
const URGENT_SHARE = 0.02;

/** Tokens that are reserved for one running request. */
export interface Reservation {
  /** Limit headers for the response. */
  readonly headers: LimitHeaders;
  /** Ends the request: the tokens that it used replace the reserved ones. Further calls do nothing. */
  settle(tokens: number): void;
}

/** What a request needs, known once its body has been read. */
export interface ReservationRequest {
  /** Id of the request in the ledger. */
  readonly request: string;
  /** Tokens to reserve; 0 for a request that generates nothing. */
  readonly tokens: number;
  readonly isGeneration: boolean;
}

/** A request that is counted as running, before its body has been read. */
export interface Permit {
  /** Reserves tokens. A request that is refused here is not counted. Called once. @throws LimitExceeded */
  reserve(request: ReservationRequest): Reservation;
  /** Ends a request without a reservation. Does nothing after `reserve`. */
  release(): void;
}

const EMPTY_RESERVATION: Reservation = Object.freeze({ headers: [], settle: () => undefined });
/** The permit of callers without limits. */
export const UNLIMITED_PERMIT: Permit = Object.freeze({ reserve: () => EMPTY_RESERVATION, release: () => undefined });

/** Clocks, in milliseconds. */
export interface RateLimiterOptions {
  /** Monotonic clock of this process. */
  readonly now: () => number;
  /** Time since the epoch. */
  readonly date: () => number;
}

/** Events that need a message to the other gateways or to keys-service. */
export interface LimitListener {
  /** More than 2 % of a limit was taken since the last report to the other gateways. */
  readonly publishSoon: () => void;
  /** A request has a budget whose use is not known yet. */
  readonly budgetUnknown: () => void;
}

/** Enforces the limits of keys and accounts. Every decision is made in memory. */
export class RateLimiter {
  readonly #states = new Map<string, LimitState>();
  readonly #restored = new Map<string, { requests: number; tokens: number; at: number }>();

  #listener: LimitListener = { publishSoon: () => undefined, budgetUnknown: () => undefined };

  constructor(private readonly options: RateLimiterOptions) {}

  listen(listener: LimitListener): void {
    this.#listener = listener;
  }

  /** True once the use from before this gateway's start has been loaded, or could not be loaded in time. */
  isRestored = false;

  /**
   * Counts a request before its body is read.
   * @throws LimitExceeded; ServiceError `auth_unavailable` while the use of a limit is unknown: just after the start, or
   *   after a budget was set
   */
  acquire({ account, key }: Caller): Permit {
    if (!account.limits && !key.limits) return UNLIMITED_PERMIT;
    const now = this.options.now();
    const states: LimitState[] = [];
    if (account.limits) states.push(this.#state('account', account.id, account.limits, now));
    if (key.limits) states.push(this.#state('key', key.id, key.limits, now));
    for (const state of states) this.#requireKnown(state);
    const found = firstViolation(states, (state) => state.violation(now) ?? state.tokenViolation(0, now, this.options.date()));
    if (found) throw new LimitExceeded(found.violation, found.state, limitHeaders(states, now));
    for (const state of states) {
      state.consume(1, 0, now);
      state.running += 1;
      if (state.unreported() >= URGENT_SHARE) this.#listener.publishSoon();
    }
    return this.#permit(states);
  }

  #requireKnown({ hasBudget, budget }: LimitState): void {
    const isUnknown = hasBudget && !budget.isKnown;
    if (isUnknown) this.#listener.budgetUnknown();
    if (isUnknown || !this.isRestored) throw useUnknown();
  }

  *states(): Iterable<LimitState> {
    yield* this.#states.values();
  }

  find(kind: LimitOwner, id: number): LimitState | undefined {
    return this.#states.get(`${kind}:${id}`);
  }

  /** The state of a key or account, created where there is none yet; undefined without limits. */
  stateOf(kind: LimitOwner, id: number, limits: Limits | undefined): LimitState | undefined {
    return limits && this.#state(kind, id, limits, this.options.now());
  }

  /** Adds use from before this gateway's start. It is kept until the key or account is first used here. */
  restore(kind: LimitOwner, id: number, use: { readonly requests: number; readonly tokens: number; readonly ageMs: number }): void {
    this.#restored.set(`${kind}:${id}`, { requests: use.requests, tokens: use.tokens, at: this.options.now() - use.ageMs });
    const state = this.find(kind, id);
    if (state) this.#applyRestored(state);
  }

  /** Removes the states of keys and accounts that are not in use. */
  sweep(): void {
    const now = this.options.now();
    for (const [name, state] of this.#states) if (state.isIdle(now)) this.#states.delete(name);
    for (const [name, { at }] of this.#restored) if (now - at > MINUTE_MS) this.#restored.delete(name);
  }

  #state(kind: LimitOwner, id: number, limits: Limits, now: number): LimitState {
    const name = `${kind}:${id}`;
    let state = this.#states.get(name);
    if (!state) {
      state = new LimitState(kind, id, this.options.date(), now);
      this.#states.set(name, state);
      state.applyLimits(limits, now);
      this.#applyRestored(state);
    } else state.applyLimits(limits, now);
    return state;
  }

  #applyRestored(state: LimitState): void {
    const name = `${state.kind}:${state.id}`;
    const restored = this.#restored.get(name);
    if (!restored) return;
    this.#restored.delete(name);
    const now = this.options.now();
    const elapsed = Math.min(1, (now - restored.at) / MINUTE_MS);
    const left = (taken: number, limit: number): number => (Number.isFinite(limit) ? Math.max(0, taken - elapsed * limit) : 0);
    state.restore(left(restored.requests, state.requests.limit), left(restored.tokens, state.tokens.limit), now);
  }

  #permit(states: readonly LimitState[]): Permit {
    let isHeld = true;
    const release = (): void => {
      if (!isHeld) return;
      isHeld = false;
      for (const state of states) state.running -= 1;
    };
    const reserve = (request: ReservationRequest): Reservation => {
      const now = this.options.now();
      const found = firstViolation(states, (state) => state.tokenViolation(request.tokens, now, this.options.date()));
      if (found) {
        for (const state of states) state.consume(-1, 0, now);
        release();
        throw new LimitExceeded(found.violation, found.state, limitHeaders(states, now));
      }
      if (!request.isGeneration) release();
      // From here on, settling the reservation ends the request.
      isHeld = false;
      return this.#reservation(states, request, now);
    };
    return { reserve, release };
  }

  #reservation(states: readonly LimitState[], { request, tokens, isGeneration }: ReservationRequest, now: number): Reservation {
    for (const state of states) {
      state.consume(0, tokens, now);
      if (isGeneration && state.hasBudget) state.budget.reserve(request, tokens);
      if (state.unreported() >= URGENT_SHARE) this.#listener.publishSoon();
    }
    let isOpen = true;
    const settle = (used: number): void => {
      if (!isOpen) return;
      isOpen = false;
      const end = this.options.now();
      for (const state of states) {
        state.consume(0, used - tokens, end);
        if (isGeneration) state.running -= 1;
        state.budget.settle(request, used);
      }
    };
    return { headers: limitHeaders(states, now), settle };
  }
}

function firstViolation(
  states: readonly LimitState[],
  violationOf: (state: LimitState) => LimitViolation | null,
): { readonly violation: LimitViolation; readonly state: LimitState } | null {
  for (const state of states) {
    const violation = violationOf(state);
    if (violation) return { violation, state };
  }
  return null;
}

const useUnknown = (): ServiceError =>
  new ServiceError('auth_unavailable', 'The limits of this API key cannot be checked right now; try again soon.', { retryAfterS: 1 });
