import type { Limits, LimitUse } from '@slipway/contracts';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Caller } from '../auth/caller.js';
import { goDuration } from './limit-headers.js';
import { type Charge, LimitBook, LimitExceeded } from './limit-book.js';

const START = Date.parse('2026-03-01T12:00:00Z');
let now: number;

const callerWith = (key: Limits | undefined, account?: Limits): Caller =>
  ({ key: { id: 2, limits: key }, account: { id: 1, limits: account } }) as unknown as Caller;

function makeBook(): LimitBook {
  const book = new LimitBook({ now: () => now, date: () => START + now });
  book.isRecalled = true;
  return book;
}

let asked = 0;
const admit = (book: LimitBook, caller: Caller, tokens = 10): Charge =>
  book.enter(caller).admit({ request: `s${(asked += 1)}`, tokens, isGeneration: true });
/** How many of `count` requests at once are let through. */
const admitted = (book: LimitBook, caller: Caller, count: number): number => {
  let passed = 0;
  for (let i = 0; i < count; i += 1) {
    try {
      admit(book, caller).settle(10);
      passed += 1;
    } catch (refusal) {
      expect(refusal).toBeInstanceOf(LimitExceeded);
    }
  }
  return passed;
};
const refusalOf = (book: LimitBook, caller: Caller, tokens = 10): LimitExceeded => {
  try {
    admit(book, caller, tokens);
  } catch (refusal) {
    return refusal as LimitExceeded;
  }
  throw new Error('It was let through.');
};
/** Hands what one gateway tells to the others. */
const tell = (from: LimitBook, name: string, others: readonly LimitBook[], isFresh = true): void => {
  for (const holder of from.holders()) {
    const use: LimitUse['holders'][number] | null = holder.tell(now);
    for (const other of others) if (use) other.seen(holder.kind, holder.id, holder.limits)?.heard(name, use, isFresh, now);
  }
};

beforeEach(() => {
  now = 1_000;
});

describe('limits of one gateway', () => {
  it('let a whole minute through at once, then what drains', () => {
    const book = makeBook();
    const caller = callerWith({ requests_per_minute: 60 });
    expect(admitted(book, caller, 100)).toBe(60);
    now += 5_000;
    expect(admitted(book, caller, 100)).toBe(5);
  });

  it('say when to come back, and what is left', () => {
    const book = makeBook();
    const caller = callerWith({ requests_per_minute: 2, tokens_per_minute: 1_000 });
    expect(admit(book, caller).headers).toEqual([
      ['x-ratelimit-limit-requests', '2'],
      ['x-ratelimit-remaining-requests', '1'],
      ['x-ratelimit-reset-requests', '30s'],
      ['x-ratelimit-limit-tokens', '1000'],
      ['x-ratelimit-remaining-tokens', '990'],
      ['x-ratelimit-reset-tokens', '600ms'],
    ]);
    admit(book, caller);
    const refusal = refusalOf(book, caller);
    expect([refusal.code, refusal.retryAfterS, refusal.facts]).toEqual(['rate_limit_exceeded', 30, { limited: 'requests' }]);
    expect(refusal.headers).toContainEqual(['x-ratelimit-remaining-requests', '0']);
    expect([12, 999, 1_000, 59_999, 360_000].map(goDuration)).toEqual(['12ms', '999ms', '1s', '1m0s', '6m0s']);
  });

  it('set tokens aside and settle them with what was used', () => {
    const book = makeBook();
    const caller = callerWith({ tokens_per_minute: 1_000 });
    const charge = admit(book, caller, 900);
    expect(refusalOf(book, caller, 200).facts).toEqual({ limited: 'tokens' });
    charge.settle(100);
    charge.settle(5_000);
    expect(Number(admit(book, caller, 200).headers[1]?.[1])).toBe(700);
  });

  it('let a request that is larger than the whole allowance through when nothing else is taken', () => {
    const book = makeBook();
    const caller = callerWith({ tokens_per_minute: 100 });
    admit(book, caller, 5_000).settle(5_000);
    now += 60_000;
    expect(refusalOf(book, caller, 1).facts).toEqual({ limited: 'tokens' });
    now += 50 * 60_000;
    admit(book, caller, 1);
  });

  it('count requests that run, until they end', () => {
    const book = makeBook();
    const caller = callerWith({ concurrent_requests: 2 });
    const first = admit(book, caller);
    admit(book, caller);
    expect(refusalOf(book, caller).retryAfterS).toBe(1);
    first.settle(1);
    admit(book, caller);
  });

  it('count a request before its body is known, and until it leaves', () => {
    const book = makeBook();
    const caller = callerWith({ concurrent_requests: 1, requests_per_minute: 5 });
    const uploading = book.enter(caller);
    expect(refusalOf(book, caller).message).toContain('1 requests at once');
    uploading.leave();
    uploading.leave();
    const running = admit(book, caller);
    expect(refusalOf(book, caller).message).toContain('1 requests at once');
    running.settle(1);
    const counted = book.enter(caller);
    counted.admit({ request: 'count', tokens: 0, isGeneration: false });
    counted.leave();
    book.enter(caller).leave();
    book.enter(caller).leave();
    expect(refusalOf(book, caller).message).toContain('5 requests per minute');
  });

  it('count nothing of a request that is refused for its tokens', () => {
    const book = makeBook();
    const caller = callerWith({ concurrent_requests: 1, requests_per_minute: 2, tokens_per_minute: 1_000 });
    const charge = admit(book, caller, 900);
    charge.settle(900);
    for (let i = 0; i < 5; i += 1) expect(refusalOf(book, caller, 500).facts).toEqual({ limited: 'tokens' });
    admit(book, caller, 50);
  });

  it('of the account hold for all its keys together', () => {
    const book = makeBook();
    const account = { requests_per_minute: 3 };
    const [one, other] = [callerWith(undefined, account), { ...callerWith(undefined, account), key: { id: 9 } as Caller['key'] }];
    expect(admitted(book, one, 2) + admitted(book, other, 5)).toBe(3);
  });

  it('that are changed hold at once, and what was used counts on', () => {
    const book = makeBook();
    expect(admitted(book, callerWith({ requests_per_minute: 10 }), 10)).toBe(10);
    expect(admitted(book, callerWith({ requests_per_minute: 15 }), 10)).toBe(5);
  });

  it('cost nothing where there are none', () => {
    const book = makeBook();
    expect(admitted(book, callerWith(undefined), 1_000)).toBe(1_000);
    expect([...book.holders()]).toEqual([]);
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

  const bookWithBudget = (): LimitBook => {
    const book = makeBook();
    book.seen('key', 2, caller.key.limits)?.totals(totals(0));
    return book;
  };

  it('count what the ledger says and what it does not know yet, each request once', () => {
    const book = bookWithBudget();
    const name = `s${asked + 1}`;
    admit(book, caller, 30).settle(20);
    const holder = book.find('key', 2)!;
    expect(holder.budget.used(START)).toEqual({ day: 20, month: 20 });
    holder.totals(totals(70));
    expect(holder.budget.used(START).day).toBe(90);
    holder.totals(totals(90, [[name, { tokens: 20, final: true }]]));
    expect(holder.budget.used(START).day).toBe(90);
    expect(refusalOf(book, caller, 11).message).toContain('100 tokens per day');
  });

  it('of a long request count what the ledger has of it and what is still set aside', () => {
    const book = bookWithBudget();
    const name = `s${asked + 1}`;
    const charge = admit(book, caller, 50);
    const { budget } = book.find('key', 2)!;
    budget.counted(totals(30, [[name, { tokens: 30, final: false }]]));
    expect(budget.used(START).day).toBe(50);
    charge.settle(45);
    expect(budget.used(START).day).toBe(45);
    budget.counted(totals(45, [[name, { tokens: 45, final: true }]]));
    expect([budget.used(START).day, budget.isIdle]).toEqual([45, true]);
  });

  it('begin anew with the day, and are not taken for unused before the ledger has spoken', () => {
    const book = bookWithBudget();
    admit(book, caller, 1).settle(0);
    const { budget } = book.find('key', 2)!;
    budget.counted(totals(100));
    expect([budget.used(START).day, budget.used(START + 86_400_000).day]).toEqual([100, 0]);
    const fresh = makeBook();
    expect(refusalOf(fresh, caller).code).toBe('auth_unavailable');
  });
});

describe('three gateways', () => {
  it('let through no more than what was let through before they heard of each other, and that is paid back', () => {
    const books = [makeBook(), makeBook(), makeBook()];
    const caller = callerWith({ requests_per_minute: 60 });
    let passed = 0;
    const step = (): void => {
      for (const book of books) passed += admitted(book, caller, 3);
      for (const [i, book] of books.entries()) tell(book, `gw-${i}`, books.toSpliced(i, 1));
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
    const [one, other] = [makeBook(), makeBook()];
    const caller = callerWith({ requests_per_minute: 60 });
    admitted(one, caller, 10);
    tell(one, 'gw-1', []);
    admitted(one, caller, 10);
    tell(one, 'gw-1', [other]);
    tell(one, 'gw-1', [other]);
    expect(admitted(other, caller, 100)).toBe(40);
  });

  it('count what runs elsewhere, and nothing of a gateway that is gone', () => {
    const [one, other] = [makeBook(), makeBook()];
    const caller = callerWith({ concurrent_requests: 2 });
    admit(one, caller);
    admit(one, caller);
    tell(one, 'gw-1', [other]);
    expect(refusalOf(other, caller).code).toBe('rate_limit_exceeded');
    now += 4_000;
    admit(other, caller);
  });

  it('neither forgive nor count twice what was taken before one of them started', () => {
    const [old, fresh] = [makeBook(), makeBook()];
    const caller = callerWith({ requests_per_minute: 60 });
    admitted(old, caller, 50);
    const use = old.find('key', 2)!.tell(now)!;
    now += 6_000;
    fresh.recall('key', 2, { requests: use.requests_taken, tokens: use.tokens_taken, ageMs: 6_000 });
    tell(old, 'gw-old', [fresh], false);
    expect(admitted(fresh, caller, 100)).toBe(16);
  });
});
