import type { Limits, LimitUse } from '@slipway/contracts';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Caller } from '../auth/key-verifier.service.js';
import { goDuration, LimitExceeded, RateLimiter, type Reservation } from './rate-limiter.js';

const START = Date.parse('2026-03-01T12:00:00Z');
let now: number;

const callerWith = (key: Limits | undefined, account?: Limits): Caller =>
  ({ key: { id: 2, limits: key }, account: { id: 1, limits: account } }) as unknown as Caller;

function makeLimiter(): RateLimiter {
  const limiter = new RateLimiter({ now: () => now, date: () => START + now });
  limiter.isRestored = true;
  return limiter;
}

let asked = 0;
const reserve = (limiter: RateLimiter, caller: Caller, tokens = 10): Reservation =>
  limiter.acquire(caller).reserve({ request: `s${(asked += 1)}`, tokens, isGeneration: true });
/** How many of `count` concurrent requests are allowed. */
const allowed = (limiter: RateLimiter, caller: Caller, count: number): number => {
  let passed = 0;
  for (let i = 0; i < count; i += 1) {
    try {
      reserve(limiter, caller).settle(10);
      passed += 1;
    } catch (error) {
      expect(error).toBeInstanceOf(LimitExceeded);
    }
  }
  return passed;
};
const errorOf = (limiter: RateLimiter, caller: Caller, tokens = 10): LimitExceeded => {
  try {
    reserve(limiter, caller, tokens);
  } catch (error) {
    return error as LimitExceeded;
  }
  throw new Error('The request was allowed.');
};
/** Sends one gateway's report to the others. */
const sendReport = (from: RateLimiter, name: string, others: readonly RateLimiter[], isFresh = true): void => {
  for (const state of from.states()) {
    const use: LimitUse['holders'][number] | null = state.report(now);
    for (const other of others) if (use) other.stateOf(state.kind, state.id, state.limits)?.mergePeerUse(name, use, isFresh, now);
  }
};

beforeEach(() => {
  now = 1_000;
});

describe('limits of one gateway', () => {
  it('allow a minute’s limit at once, then what drains', () => {
    const limiter = makeLimiter();
    const caller = callerWith({ requests_per_minute: 60 });
    expect(allowed(limiter, caller, 100)).toBe(60);
    now += 5_000;
    expect(allowed(limiter, caller, 100)).toBe(5);
  });

  it('report the retry time and what is left', () => {
    const limiter = makeLimiter();
    const caller = callerWith({ requests_per_minute: 2, tokens_per_minute: 1_000 });
    expect(reserve(limiter, caller).headers).toEqual([
      ['x-ratelimit-limit-requests', '2'],
      ['x-ratelimit-remaining-requests', '1'],
      ['x-ratelimit-reset-requests', '30s'],
      ['x-ratelimit-limit-tokens', '1000'],
      ['x-ratelimit-remaining-tokens', '990'],
      ['x-ratelimit-reset-tokens', '600ms'],
    ]);
    reserve(limiter, caller);
    const refusal = errorOf(limiter, caller);
    expect([refusal.code, refusal.retryAfterS, refusal.facts]).toEqual(['rate_limit_exceeded', 30, { limited: 'requests' }]);
    expect(refusal.headers).toContainEqual(['x-ratelimit-remaining-requests', '0']);
    expect([12, 999, 1_000, 59_999, 360_000].map(goDuration)).toEqual(['12ms', '999ms', '1s', '1m0s', '6m0s']);
  });

  it('reserve tokens and settle them with the use', () => {
    const limiter = makeLimiter();
    const caller = callerWith({ tokens_per_minute: 1_000 });
    const reservation = reserve(limiter, caller, 900);
    expect(errorOf(limiter, caller, 200).facts).toEqual({ limited: 'tokens' });
    reservation.settle(100);
    reservation.settle(5_000);
    expect(Number(reserve(limiter, caller, 200).headers[1]?.[1])).toBe(700);
  });

  it('allow an oversized request when nothing is taken', () => {
    const limiter = makeLimiter();
    const caller = callerWith({ tokens_per_minute: 100 });
    reserve(limiter, caller, 5_000).settle(5_000);
    now += 60_000;
    expect(errorOf(limiter, caller, 1).facts).toEqual({ limited: 'tokens' });
    now += 50 * 60_000;
    reserve(limiter, caller, 1);
  });

  it('count requests that run, until they end', () => {
    const limiter = makeLimiter();
    const caller = callerWith({ concurrent_requests: 2 });
    const first = reserve(limiter, caller);
    reserve(limiter, caller);
    expect(errorOf(limiter, caller).retryAfterS).toBe(1);
    first.settle(1);
    reserve(limiter, caller);
  });

  it('count a request from its permit to its release', () => {
    const limiter = makeLimiter();
    const caller = callerWith({ concurrent_requests: 1, requests_per_minute: 5 });
    const uploading = limiter.acquire(caller);
    expect(errorOf(limiter, caller).message).toContain('1 requests at once');
    uploading.release();
    uploading.release();
    const running = reserve(limiter, caller);
    expect(errorOf(limiter, caller).message).toContain('1 requests at once');
    running.settle(1);
    const counted = limiter.acquire(caller);
    counted.reserve({ request: 'count', tokens: 0, isGeneration: false });
    counted.release();
    limiter.acquire(caller).release();
    limiter.acquire(caller).release();
    expect(errorOf(limiter, caller).message).toContain('5 requests per minute');
  });

  it('do not count a request refused for tokens', () => {
    const limiter = makeLimiter();
    const caller = callerWith({ concurrent_requests: 1, requests_per_minute: 2, tokens_per_minute: 1_000 });
    const reservation = reserve(limiter, caller, 900);
    reservation.settle(900);
    for (let i = 0; i < 5; i += 1) expect(errorOf(limiter, caller, 500).facts).toEqual({ limited: 'tokens' });
    reserve(limiter, caller, 50);
  });

  it('of the account cover all its keys together', () => {
    const limiter = makeLimiter();
    const account = { requests_per_minute: 3 };
    const [one, other] = [callerWith(undefined, account), { ...callerWith(undefined, account), key: { id: 9 } as Caller['key'] }];
    expect(allowed(limiter, one, 2) + allowed(limiter, other, 5)).toBe(3);
  });

  it('that change apply at once and keep their use', () => {
    const limiter = makeLimiter();
    expect(allowed(limiter, callerWith({ requests_per_minute: 10 }), 10)).toBe(10);
    expect(allowed(limiter, callerWith({ requests_per_minute: 15 }), 10)).toBe(5);
  });

  it('cost nothing where there are none', () => {
    const limiter = makeLimiter();
    expect(allowed(limiter, callerWith(undefined), 1_000)).toBe(1_000);
    expect([...limiter.states()]).toEqual([]);
  });
});

describe('budgets', () => {
  const caller = callerWith({ tokens_per_day: 100 });
  const totals = (tokens: number, counted: [string, { tokens: number; final: boolean }][] = []) => ({
    day: START - (START % 86_400_000),
    dayTokens: tokens,
    monthTokens: tokens,
    counted: new Map(counted),
  });

  const bookWithBudget = (): RateLimiter => {
    const limiter = makeLimiter();
    limiter.stateOf('key', 2, caller.key.limits)?.applyTotals(totals(0));
    return limiter;
  };

  it('count ledger totals and open requests once each', () => {
    const limiter = bookWithBudget();
    const name = `s${asked + 1}`;
    reserve(limiter, caller, 30).settle(20);
    const state = limiter.find('key', 2)!;
    expect(state.budget.used(START)).toEqual({ day: 20, month: 20 });
    state.applyTotals(totals(70));
    expect(state.budget.used(START).day).toBe(90);
    state.applyTotals(totals(90, [[name, { tokens: 20, final: true }]]));
    expect(state.budget.used(START).day).toBe(90);
    expect(errorOf(limiter, caller, 11).message).toContain('100 tokens per day');
  });

  it('count the ledger’s and the reserved part of requests', () => {
    const limiter = bookWithBudget();
    const name = `s${asked + 1}`;
    const reservation = reserve(limiter, caller, 50);
    const { budget } = limiter.find('key', 2)!;
    budget.applyTotals(totals(30, [[name, { tokens: 30, final: false }]]));
    expect(budget.used(START).day).toBe(50);
    reservation.settle(45);
    expect(budget.used(START).day).toBe(45);
    budget.applyTotals(totals(45, [[name, { tokens: 45, final: true }]]));
    expect([budget.used(START).day, budget.isIdle]).toEqual([45, true]);
  });

  it('restart each day, and are unknown before totals', () => {
    const limiter = bookWithBudget();
    reserve(limiter, caller, 1).settle(0);
    const { budget } = limiter.find('key', 2)!;
    budget.applyTotals(totals(100));
    expect([budget.used(START).day, budget.used(START + 86_400_000).day]).toEqual([100, 0]);
    const fresh = makeLimiter();
    expect(errorOf(fresh, caller).code).toBe('auth_unavailable');
  });
});

describe('three gateways', () => {
  it('never exceed the sum before they sync, then repay', () => {
    const books = [makeLimiter(), makeLimiter(), makeLimiter()];
    const caller = callerWith({ requests_per_minute: 60 });
    let passed = 0;
    const step = (): void => {
      for (const limiter of books) passed += allowed(limiter, caller, 3);
      for (const [i, limiter] of books.entries()) sendReport(limiter, `gw-${i}`, books.toSpliced(i, 1));
    };
    // Each allows three between two messages, so those of the two others are the largest excess.
    for (let i = 0; i < 20; i += 1) step();
    expect(passed).toBeGreaterThanOrEqual(60);
    expect(passed).toBeLessThanOrEqual(60 + 2 * 3);
    for (let second = 0; second < 60; second += 1) {
      now += 1_000;
      step();
    }
    expect(passed).toBeLessThanOrEqual(60 + 60 + 2 * 3);
  });

  it('tolerate lost and repeated messages of others', () => {
    const [one, other] = [makeLimiter(), makeLimiter()];
    const caller = callerWith({ requests_per_minute: 60 });
    allowed(one, caller, 10);
    sendReport(one, 'gw-1', []);
    allowed(one, caller, 10);
    sendReport(one, 'gw-1', [other]);
    sendReport(one, 'gw-1', [other]);
    expect(allowed(other, caller, 100)).toBe(40);
  });

  it('count running requests of live gateways alone', () => {
    const [one, other] = [makeLimiter(), makeLimiter()];
    const caller = callerWith({ concurrent_requests: 2 });
    reserve(one, caller);
    reserve(one, caller);
    sendReport(one, 'gw-1', [other]);
    expect(errorOf(other, caller).code).toBe('rate_limit_exceeded');
    now += 4_000;
    reserve(other, caller);
  });

  it('count use from before a start exactly once', () => {
    const [old, fresh] = [makeLimiter(), makeLimiter()];
    const caller = callerWith({ requests_per_minute: 60 });
    allowed(old, caller, 50);
    const use = old.find('key', 2)!.report(now)!;
    now += 6_000;
    fresh.restore('key', 2, { requests: use.requests_taken, tokens: use.tokens_taken, ageMs: 6_000 });
    sendReport(old, 'gw-old', [fresh], false);
    expect(allowed(fresh, caller, 100)).toBe(16);
  });
});
