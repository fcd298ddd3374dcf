import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type HeldBody, readHeldBody } from './body-reader.js';
import { SharedBudget } from './shared-budget.js';

const RATE = { bytesPerSecond: 10, graceMs: 2_000 };
const SHARES = [{ owner: 'account:1', max: 60 }];

let budget: SharedBudget;
let request: PassThrough & { headers?: Record<string, string> };

beforeEach(() => {
  budget = new SharedBudget(100);
  request = Object.assign(new PassThrough(), { headers: {} });
});
afterEach(() => vi.useRealTimers());

const read = (bytesMax = 50): Promise<HeldBody> =>
  readHeldBody(request as unknown as IncomingMessage, { bytesMax, budget, shares: SHARES, rate: RATE });
const expectAllFree = (): void => {
  expect(budget.take(60, SHARES)).toBe(true);
  expect(budget.take(40, [])).toBe(true);
};

describe('readHeldBody', () => {
  it('holds its part of the budget until released', async () => {
    const body = read();
    request.write('{"a":');
    request.end('1}');
    const held = await body;
    expect(held.bytes.toString()).toBe('{"a":1}');
    expect(budget.take(54, SHARES)).toBe(false);
    held.release();
    held.release();
    expectAllFree();
  });

  it('refuses a declared length above the bound', async () => {
    request.headers = { 'content-length': '51' };
    request.write('x');
    await expect(read()).rejects.toMatchObject({ code: 'request_too_large' });
    expect(request.readableLength).toBe(1);
  });

  it('refuses a body that exceeds the bound', async () => {
    const body = read();
    request.write(Buffer.alloc(30));
    request.write(Buffer.alloc(21));
    await expect(body).rejects.toMatchObject({ code: 'request_too_large' });
    expectAllFree();
  });

  it('refuses temporarily when a share is used up', async () => {
    budget.take(40, SHARES);
    const body = read();
    request.write(Buffer.alloc(21));
    await expect(body).rejects.toMatchObject({ code: 'overloaded', retryAfterS: 2 });
    budget.giveBack(40, SHARES);
    expectAllFree();
  });

  it('releases everything when the client leaves', async () => {
    const body = read();
    request.write(Buffer.alloc(30));
    await new Promise(setImmediate);
    request.destroy();
    await expect(body).rejects.toMatchObject({ code: 'cancelled' });
    expectAllFree();
  });

  it('refuses a slow body after the grace period', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    const body = read();
    const refused = body.catch((error: unknown) => error);
    request.write(Buffer.alloc(29));
    await new Promise(setImmediate);
    vi.advanceTimersByTime(2_000);
    expect(budget.take(100, [])).toBe(false);
    vi.advanceTimersByTime(1_000);
    expect(await refused).toMatchObject({ code: 'request_timeout' });
    expectAllFree();
  });
});

describe('SharedBudget', () => {
  it('gives one owner at most its share', () => {
    const [one, other] = [[{ owner: 'a', max: 30 }], [{ owner: 'b', max: 90 }]];
    expect([budget.take(30, one), budget.take(1, one), budget.take(70, other), budget.take(1, other)]).toEqual([true, false, true, false]);
    budget.giveBack(30, one);
    expect([budget.take(30, one), budget.take(1, [])]).toEqual([true, false]);
  });
});
