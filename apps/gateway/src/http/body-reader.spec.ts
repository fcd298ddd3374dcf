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
  /** No memory is reserved. */
  const expectAllFree = (): void => {
    expect([isFree(80), memory.open(2).take(80), memory.open(3).take(20)]).toEqual([true, 'taken', 'taken']);
  };
  const pass = (ms: number): void => {
    now += ms;
    vi.advanceTimersByTime(ms);
  };

  it('returns it whole and reserves its memory', async () => {
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

  it('fails above the size limit and releases memory', async () => {
    const body = read();
    request.write(Buffer.alloc(30));
    request.write(Buffer.alloc(21));
    await expect(body).rejects.toMatchObject({ code: 'request_too_large' });
    expectAllFree();
  });

  it('fails with 503 when all memory is used', async () => {
    const others = [2, 3].map((account) => memory.open(account));
    for (const other of others) other.take(30);
    const body = read();
    request.write(Buffer.alloc(30));
    request.write(Buffer.alloc(11));
    await expect(body).rejects.toMatchObject({ code: 'overloaded', retryAfterS: 2 });
    for (const other of others) other.release();
    expectAllFree();
  });

  it('fails when its account’s share is used', async () => {
    uploads.begin(callerOf(1, 2)).arrived(60, 60);
    const body = read();
    request.write(Buffer.alloc(30));
    await expect(body).rejects.toMatchObject({ code: 'rate_limit_exceeded' });
    expect(isFree(40)).toBe(true);
  });

  it('fails for a full key, not for another', async () => {
    memory = new MemoryShares({ bytes: 100, shareBytes: 80, keyBytes: 60 });
    uploads = new Uploads({ memory, perAccount: 4, bytesPerS: 10, now: () => now });
    uploads.begin(callerOf(1, 1)).arrived(40, 40);
    const body = read();
    request.write(Buffer.alloc(30));
    await expect(body).rejects.toMatchObject({ code: 'rate_limit_exceeded' });
    expect(uploads.begin(callerOf(1, 2)).arrived(30, 30)).toBeNull();
  });

  it('fails when the body stops arriving', async () => {
    const body = read();
    const refused = body.catch((error: unknown) => error);
    request.write(Buffer.alloc(50));
    await new Promise(setImmediate);
    for (let s = 0; s < 10; s += 1) pass(1_000);
    expect(await refused).toMatchObject({ code: 'request_timeout' });
    expectAllFree();
  });

  it('accepts a body at the least allowed rate', async () => {
    const body = read();
    for (let s = 0; s < 5; s += 1) {
      request.write(Buffer.alloc(10));
      await new Promise(setImmediate);
      pass(1_000);
    }
    request.end();
    expect(await body).toHaveLength(50);
  });

  it('limits concurrent uploads per account and per key', () => {
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

  it('fails for too many chunks and releases memory', async () => {
    memory = new MemoryShares({ bytes: MIB, shareBytes: MIB });
    uploads = new Uploads({ memory, perAccount: 4, bytesPerS: 10, now: () => now });
    const body = read(MIB);
    const refused = body.catch((error: unknown) => error);
    for (let i = 0; i < 10_000; i += 1) request.write('x');
    expect(await refused).toMatchObject({ code: 'invalid_request' });
    expect(isFree(MIB)).toBe(true);
  });

  it('reserves memory on arrival, and only its size after', async () => {
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

  it('fails at once for a disconnected client', async () => {
    request.destroy();
    await expect(read()).rejects.toMatchObject({ code: 'cancelled' });
  });
});
