import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import { BodyBudget } from './body-budget.js';
import { readBody } from './body-reader.js';

describe('reading a body', () => {
  let budget: BodyBudget;
  let request: PassThrough;

  beforeEach(() => {
    budget = new BodyBudget(100);
    request = new PassThrough();
  });

  const read = (bytesMax = 50): Promise<Buffer> =>
    readBody(request as unknown as IncomingMessage, {} as ServerResponse, { bytesMax, budget });
  /** All of the budget is free: nobody holds a part of it. */
  const expectAllFree = (): void => {
    expect(budget.take(100)).toBe(true);
  };

  it('gives it whole, and keeps its part of the budget until its owner gives it back', async () => {
    const body = read();
    request.write('{"a":');
    request.end('1}');
    expect((await body).toString()).toBe('{"a":1}');
    expect(budget.take(94)).toBe(false);
    budget.giveBack(7);
    expectAllFree();
  });

  it('refuses what is larger than one may be, and holds nothing of it', async () => {
    const body = read();
    request.write(Buffer.alloc(30));
    request.write(Buffer.alloc(21));
    await expect(body).rejects.toMatchObject({ code: 'request_too_large' });
    expectAllFree();
  });

  it('refuses what is more than all may be, as something that passes', async () => {
    budget.take(60);
    const body = read();
    request.write(Buffer.alloc(30));
    request.write(Buffer.alloc(11));
    await expect(body).rejects.toMatchObject({ code: 'overloaded', retryAfterS: 2 });
    budget.giveBack(60);
    expectAllFree();
  });

  it('gives up when the client leaves, and holds nothing', async () => {
    const body = read();
    request.write(Buffer.alloc(30));
    await new Promise(setImmediate);
    request.destroy();
    await expect(body).rejects.toMatchObject({ code: 'cancelled' });
    expectAllFree();
  });

  it('does not wait for a client that has left already', async () => {
    request.destroy();
    await expect(read()).rejects.toMatchObject({ code: 'cancelled' });
  });
});
