import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type HeldBody, readHeldBody } from './body-reader.js';
import { SharedBudget } from './shared-budget.js';

const RATE = { bytesPerSecond: 10, graceMs: 2_000 };
const SHARES = [{ holder: 'account:1', max: 60 }];

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

describe('a body', () => {
  it('is read whole and keeps its part of the budget until it is released, once', async () => {
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

  it('of a declared length above the bound is refused before a byte is read', async () => {
    request.headers = { 'content-length': '51' };
    request.write('x');
    await expect(read()).rejects.toMatchObject({ code: 'request_too_large' });
    expect(request.readableLength).toBe(1);
  });

  it('that grows above the bound is refused, and nothing of it is held', async () => {
    const body = read();
    request.write(Buffer.alloc(30));
    request.write(Buffer.alloc(21));
    await expect(body).rejects.toMatchObject({ code: 'request_too_large' });
    expectAllFree();
  });

  it('is refused as something that passes when its holder has used up its share', async () => {
    budget.take(40, SHARES);
    const body = read();
    request.write(Buffer.alloc(21));
    await expect(body).rejects.toMatchObject({ code: 'overloaded', retryAfterS: 2 });
    budget.giveBack(40, SHARES);
    expectAllFree();
  });

  it('is given up when the client leaves, and nothing of it is held', async () => {
    const body = read();
    request.write(Buffer.alloc(30));
    await new Promise(setImmediate);
    request.destroy();
    await expect(body).rejects.toMatchObject({ code: 'cancelled' });
    expectAllFree();
  });

  it('that arrives more slowly than its rate is refused after the grace', async () => {
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

describe('a shared budget', () => {
  it('gives one holder its share at most, and the others the rest', () => {
    const [one, other] = [[{ holder: 'a', max: 30 }], [{ holder: 'b', max: 90 }]];
    expect([budget.take(30, one), budget.take(1, one), budget.take(70, other), budget.take(1, other)]).toEqual([true, false, true, false]);
    budget.giveBack(30, one);
    expect([budget.take(30, one), budget.take(1, [])]).toEqual([true, false]);
  });
});
