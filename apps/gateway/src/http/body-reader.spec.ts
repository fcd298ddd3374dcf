import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Caller } from '../auth/key-verifier.service.js';
import { MemoryShares } from '../memory/memory-shares.js';
import { readBody } from './body-reader.js';
import { type Upload, Uploads } from './uploads.js';

const MIB = 1024 * 1024;
const callerOf = (account: number, key: number, uploads?: number): Caller =>
  ({ account: { id: account, ...(uploads !== undefined && { uploads }) }, key: { id: key } }) as unknown as Caller;

describe('reading a body', () => {
  let now: number;
  let memory: MemoryShares;
  let uploads: Uploads;
  let upload: Upload;
  let request: PassThrough;

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    now = 0;
    memory = new MemoryShares({ bytes: 100, shareBytes: 80 });
    uploads = new Uploads({ memory, perAccount: 4, bytesPerS: 10, now: () => now });
    request = new PassThrough();
  });
  afterEach(() => {
    upload?.end();
    vi.useRealTimers();
  });

  const read = (bytesMax = 50): Promise<Buffer> => {
    upload = uploads.begin(callerOf(1, 1));
    return readBody(request as unknown as IncomingMessage, {} as ServerResponse, { bytesMax, upload });
  };
  const isFree = (bytes: number): boolean => {
    const hold = memory.open(9);
    const isTaken = hold.take(bytes) === 'taken';
    hold.release();
    return isTaken;
  };
  /** Nobody holds a part of the memory. */
  const expectAllFree = (): void => {
    expect([isFree(80), memory.open(2).take(80), memory.open(3).take(20)]).toEqual([true, 'taken', 'taken']);
  };
  const pass = (ms: number): void => {
    now += ms;
    vi.advanceTimersByTime(ms);
  };

  it('gives it whole, and holds its memory until its owner gives it back', async () => {
    const body = read();
    request.write('{"a":');
    request.end('1}');
    expect((await body).toString()).toBe('{"a":1}');
    const other = memory.open(2);
    other.take(80);
    expect([isFree(14), isFree(13)]).toEqual([false, true]);
    other.release();
    upload.hold.release();
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
    const others = [2, 3].map((account) => memory.open(account));
    for (const other of others) other.take(30);
    const body = read();
    request.write(Buffer.alloc(30));
    request.write(Buffer.alloc(11));
    await expect(body).rejects.toMatchObject({ code: 'overloaded', retryAfterS: 2 });
    for (const other of others) other.release();
    expectAllFree();
  });

  it('refuses what is more than its account may hold, of whichever key', async () => {
    uploads.begin(callerOf(1, 2)).arrived(60, 60);
    const body = read();
    request.write(Buffer.alloc(30));
    await expect(body).rejects.toMatchObject({ code: 'rate_limit_exceeded' });
    expect(isFree(40)).toBe(true);
  });

  it('refuses what is more than its key may hold, and takes it with another key', async () => {
    memory = new MemoryShares({ bytes: 100, shareBytes: 80, keyBytes: 60 });
    uploads = new Uploads({ memory, perAccount: 4, bytesPerS: 10, now: () => now });
    uploads.begin(callerOf(1, 1)).arrived(40, 40);
    const body = read();
    request.write(Buffer.alloc(30));
    await expect(body).rejects.toMatchObject({ code: 'rate_limit_exceeded' });
    expect(uploads.begin(callerOf(1, 2)).arrived(30, 30)).toBeNull();
  });

  it('gives up when it comes to a standstill, however much has come before', async () => {
    const body = read();
    const refused = body.catch((error: unknown) => error);
    request.write(Buffer.alloc(50));
    await new Promise(setImmediate);
    for (let s = 0; s < 10; s += 1) pass(1_000);
    expect(await refused).toMatchObject({ code: 'request_timeout' });
    expectAllFree();
  });

  it('goes on with what comes no faster than it must', async () => {
    const body = read();
    for (let s = 0; s < 5; s += 1) {
      request.write(Buffer.alloc(10));
      await new Promise(setImmediate);
      pass(1_000);
    }
    request.end();
    expect(await body).toHaveLength(50);
  });

  it('takes as many at once as the account may send, and half as many of one key', () => {
    const open = [uploads.begin(callerOf(1, 1)), uploads.begin(callerOf(1, 1))];
    expect(() => uploads.begin(callerOf(1, 1))).toThrow('This API key may send 2 request bodies at once');
    open.push(uploads.begin(callerOf(1, 2)), uploads.begin(callerOf(1, 3)));
    expect(() => uploads.begin(callerOf(1, 4))).toThrow('This account may send 4 request bodies at once');
    open.push(uploads.begin(callerOf(2, 5)), uploads.begin(callerOf(1, 4, 5)));
    for (const one of [...open, ...open]) one.end();
    upload = uploads.begin(callerOf(1, 1));
  });

  it('gives up when the client leaves, and holds nothing', async () => {
    const body = read();
    request.write(Buffer.alloc(30));
    await new Promise(setImmediate);
    request.destroy();
    await expect(body).rejects.toMatchObject({ code: 'cancelled' });
    expectAllFree();
  });

  it('is told that it came in too many pieces, and holds nothing', async () => {
    memory = new MemoryShares({ bytes: MIB, shareBytes: MIB });
    uploads = new Uploads({ memory, perAccount: 4, bytesPerS: 10, now: () => now });
    const body = read(MIB);
    const refused = body.catch((error: unknown) => error);
    for (let i = 0; i < 10_000; i += 1) request.write('x');
    expect(await refused).toMatchObject({ code: 'invalid_request' });
    expect(isFree(MIB)).toBe(true);
  });

  it('takes memory as it arrives, and after its end no more than its bytes', async () => {
    memory = new MemoryShares({ bytes: MIB, shareBytes: MIB });
    uploads = new Uploads({ memory, perAccount: 4, bytesPerS: 10, now: () => now });
    const body = read(MIB);
    for (let i = 0; i < 4; i += 1) request.write(Buffer.alloc(100));
    await new Promise(setImmediate);
    expect(isFree(MIB - 400)).toBe(false);
    request.end();
    expect(await body).toHaveLength(400);
    expect(isFree(MIB - 400)).toBe(true);
  });

  it('does not wait for a client that has left already', async () => {
    request.destroy();
    await expect(read()).rejects.toMatchObject({ code: 'cancelled' });
  });
});
