import type { ServerResponse } from 'node:http';
import { ServiceError } from '@slipway/contracts';
import type { LimitState, LimitViolation } from './limit-state.js';

/** Longest wait that `retry-after` names, in milliseconds; clients ignore longer ones. */
const WAIT_MS_MAX = 30_000;

/** Response headers as name and value. */
export type LimitHeaders = readonly (readonly [name: string, value: string])[];

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
export function limitHeaders(states: readonly LimitState[], now: number): LimitHeaders {
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
