import type { Limits, LimitUse } from '@slipway/contracts';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Caller } from '../auth/key-verifier.service.js';
import { goDuration, LimitExceeded } from './limit-response.js';
import { RateLimiter, type Reservation } from './rate-limiter.js';

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
const admit = (limiter: RateLimiter, caller: Caller, tokens = 10): Reservation =>
  limiter.acquire(caller).reserve({ request: `s${(asked += 1)}`, tokens, isGeneration: true });
/** How many of `count` requests at once are let through. */
const admitted = (limiter: RateLimiter, caller: Caller, count: number): number => {
  let passed = 0;
  for (let i = 0; i < count; i += 1) {
    try {
      admit(limiter, caller).settle(10);
      passed += 1;
    } catch (refusal) {
      expect(refusal).toBeInstanceOf(LimitExceeded);
    }
  }
  return passed;
};
const refusalOf = (limiter: RateLimiter, caller: Caller, tokens = 10): LimitExceeded => {
  try {
    admit(limiter, caller, tokens);
  } catch (refusal) {
    return refusal as LimitExceeded;
  }
  throw new Error('It was let through.');
};
/** Hands what one gateway tells to the others. */
const tell = (from: RateLimiter, name: string, others: readonly RateLimiter[], isFresh = true): void => {
  for (const state of from.states()) {
    const use: LimitUse['holders'][number] | null = state.report(now);
    for (const other of others) if (use) other.stateOf(state.kind, state.id, state.limits)?.mergePeerUse(name, use, isFresh, now);
  }
};

beforeEach(() => {
  now = 1_000;
});

describe('limits of one gateway', () => {
  it('let a whole minute through at once, then what drains', () => {
    const limiter = makeLimiter();
    const caller = callerWith({ requests_per_minute: 60 });
    expect(admitted(limiter, caller, 100)).toBe(60);
    now += 5_000;
    expect(admitted(limiter, caller, 100)).toBe(5);
  });

  it('say when to come back, and what is left', () => {
    const limiter = makeLimiter();
    const caller = callerWith({ requests_per_minute: 2, tokens_per_minute: 1_000 });
    expect(admit(limiter, caller).headers).toEqual([
      ['x-ratelimit-limit-requests', '2'],
      ['x-ratelimit-remaining-requests', '1'],
      ['x-ratelimit-reset-requests', '30s'],
      ['x-ratelimit-limit-tokens', '1000'],
      ['x-ratelimit-remaining-tokens', '990'],
      ['x-ratelimit-reset-tokens', '600ms'],
    ]);
    admit(limiter, caller);
    const refusal = refusalOf(limiter, caller);
    expect([refusal.code, refusal.retryAfterS, refusal.facts]).toEqual(['rate_limit_exceeded', 30, { limited: 'requests' }]);
    expect(refusal.headers).toContainEqual(['x-ratelimit-remaining-requests', '0']);
    expect([12, 999, 1_000, 59_999, 360_000].map(goDuration)).toEqual(['12ms', '999ms', '1s', '1m0s', '6m0s']);
  });

  it('set tokens aside and settle them with what was used', () => {
    const limiter = makeLimiter();
    const caller = callerWith({ tokens_per_minute: 1_000 });
    const reservation = admit(limiter, caller, 900);
    expect(refusalOf(limiter, caller, 200).facts).toEqual({ limited: 'tokens' });
    reservation.settle(100);
    reservation.settle(5_000);
    expect(Number(admit(limiter, caller, 200).headers[1]?.[1])).toBe(700);
  });

  it('let a request that is larger than the whole allowance through when nothing else is taken', () => {
    const limiter = makeLimiter();
    const caller = callerWith({ tokens_per_minute: 100 });
    admit(limiter, caller, 5_000).settle(5_000);
    now += 60_000;
    expect(refusalOf(limiter, caller, 1).facts).toEqual({ limited: 'tokens' });
    now += 50 * 60_000;
    admit(limiter, caller, 1);
  });

  it('count requests that run, until they end', () => {
    const limiter = makeLimiter();
    const caller = callerWith({ concurrent_requests: 2 });
    const first = admit(limiter, caller);
    admit(limiter, caller);
    expect(refusalOf(limiter, caller).retryAfterS).toBe(1);
    first.settle(1);
    admit(limiter, caller);
  });

  it('count a request before its body is known, and until it leaves', () => {
    const limiter = makeLimiter();
    const caller = callerWith({ concurrent_requests: 1, requests_per_minute: 5 });
    const uploading = limiter.acquire(caller);
    expect(refusalOf(limiter, caller).message).toContain('1 requests at once');
    uploading.release();
    uploading.release();
    const running = admit(limiter, caller);
    expect(refusalOf(limiter, caller).message).toContain('1 requests at once');
    running.settle(1);
    const counted = limiter.acquire(caller);
    counted.reserve({ request: 'count', tokens: 0, isGeneration: false });
    counted.release();
    limiter.acquire(caller).release();
    limiter.acquire(caller).release();
    expect(refusalOf(limiter, caller).message).toContain('5 requests per minute');
  });

  it('count nothing of a request that is refused for its tokens', () => {
    const limiter = makeLimiter();
    const caller = callerWith({ concurrent_requests: 1, requests_per_minute: 2, tokens_per_minute: 1_000 });
    const reservation = admit(limiter, caller, 900);
    reservation.settle(900);
    for (let i = 0; i < 5; i += 1) expect(refusalOf(limiter, caller, 500).facts).toEqual({ limited: 'tokens' });
    admit(limiter, caller, 50);
  });

  it('of the account hold for all its keys together', () => {
    const limiter = makeLimiter();
    const account = { requests_per_minute: 3 };
    const [one, other] = [callerWith(undefined, account), { ...callerWith(undefined, account), key: { id: 9 } as Caller['key'] }];
    expect(admitted(limiter, one, 2) + admitted(limiter, other, 5)).toBe(3);
  });

  it('that are changed hold at once, and what was used counts on', () => {
    const limiter = makeLimiter();
    expect(admitted(limiter, callerWith({ requests_per_minute: 10 }), 10)).toBe(10);
    expect(admitted(limiter, callerWith({ requests_per_minute: 15 }), 10)).toBe(5);
  });

  it('cost nothing where there are none', () => {
    const limiter = makeLimiter();
    expect(admitted(limiter, callerWith(undefined), 1_000)).toBe(1_000);
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

  it('count what the ledger says and what it does not know yet, each request once', () => {
    const limiter = bookWithBudget();
    const name = `s${asked + 1}`;
    admit(limiter, caller, 30).settle(20);
    const state = limiter.find('key', 2)!;
    expect(state.budget.used(START)).toEqual({ day: 20, month: 20 });
    state.applyTotals(totals(70));
    expect(state.budget.used(START).day).toBe(90);
    state.applyTotals(totals(90, [[name, { tokens: 20, final: true }]]));
    expect(state.budget.used(START).day).toBe(90);
    expect(refusalOf(limiter, caller, 11).message).toContain('100 tokens per day');
  });

  it('of a long request count what the ledger has of it and what is still set aside', () => {
    const limiter = bookWithBudget();
    const name = `s${asked + 1}`;
    const reservation = admit(limiter, caller, 50);
    const { budget } = limiter.find('key', 2)!;
    budget.applyTotals(totals(30, [[name, { tokens: 30, final: false }]]));
    expect(budget.used(START).day).toBe(50);
    reservation.settle(45);
    expect(budget.used(START).day).toBe(45);
    budget.applyTotals(totals(45, [[name, { tokens: 45, final: true }]]));
    expect([budget.used(START).day, budget.isIdle]).toEqual([45, true]);
  });

  it('begin anew with the day, and are not taken for unused before the ledger has spoken', () => {
    const limiter = bookWithBudget();
    admit(limiter, caller, 1).settle(0);
    const { budget } = limiter.find('key', 2)!;
    budget.applyTotals(totals(100));
    expect([budget.used(START).day, budget.used(START + 86_400_000).day]).toEqual([100, 0]);
    const fresh = makeLimiter();
    expect(refusalOf(fresh, caller).code).toBe('auth_unavailable');
  });
});

describe('three gateways', () => {
  it('let through no more than what was let through before they heard of each other, and that is paid back', () => {
    const books = [makeLimiter(), makeLimiter(), makeLimiter()];
    const caller = callerWith({ requests_per_minute: 60 });
    let passed = 0;
    const step = (): void => {
      for (const limiter of books) passed += admitted(limiter, caller, 3);
      for (const [i, limiter] of books.entries()) tell(limiter, `gw-${i}`, books.toSpliced(i, 1));
    };
    // Each lets three through between two messages: that of the two others is the most that can be too much.
    for (let i = 0; i < 20; i += 1) step();
    expect(passed).toBeGreaterThanOrEqual(60);
    expect(passed).toBeLessThanOrEqual(60 + 2 * 3);
    for (let second = 0; second < 60; second += 1) {
      now += 1_000;
      step();
    }
    expect(passed).toBeLessThanOrEqual(60 + 60 + 2 * 3);
  });

  it('bear messages that are lost or come twice', () => {
    const [one, other] = [makeLimiter(), makeLimiter()];
    const caller = callerWith({ requests_per_minute: 60 });
    admitted(one, caller, 10);
    tell(one, 'gw-1', []);
    admitted(one, caller, 10);
    tell(one, 'gw-1', [other]);
    tell(one, 'gw-1', [other]);
    expect(admitted(other, caller, 100)).toBe(40);
  });

  it('count what runs elsewhere, and nothing of a gateway that is gone', () => {
    const [one, other] = [makeLimiter(), makeLimiter()];
    const caller = callerWith({ concurrent_requests: 2 });
    admit(one, caller);
    admit(one, caller);
    tell(one, 'gw-1', [other]);
    expect(refusalOf(other, caller).code).toBe('rate_limit_exceeded');
    now += 4_000;
    admit(other, caller);
  });

  it('neither forgive nor count twice what was taken before one of them started', () => {
    const [old, fresh] = [makeLimiter(), makeLimiter()];
    const caller = callerWith({ requests_per_minute: 60 });
    admitted(old, caller, 50);
    const use = old.find('key', 2)!.report(now)!;
    now += 6_000;
    fresh.restore('key', 2, { requests: use.requests_taken, tokens: use.tokens_taken, ageMs: 6_000 });
    tell(old, 'gw-old', [fresh], false);
    expect(admitted(fresh, caller, 100)).toBe(16);
  });
});
