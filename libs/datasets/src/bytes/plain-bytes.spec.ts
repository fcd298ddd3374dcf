import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { DATASET_LIMITS } from '../limits.js';
import { bytesInWords, plainBytes } from './plain-bytes.js';

const LIMITS = { fileBytes: 8 * 1024 ** 2, ratio: 200 };

async function* chunked(bytes: Uint8Array, size: number) {
  for (let i = 0; i < bytes.length; i += size) yield bytes.subarray(i, i + size);
}

async function read(bytes: Uint8Array, limits = LIMITS, size = 1_000): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of plainBytes(chunked(bytes, size), limits)) parts.push(part);
  return Buffer.concat(parts);
}

describe('plainBytes', () => {
  const text = Buffer.from(Array.from({ length: 20_000 }, (_, i) => `line ${i}\n`).join(''));

  it('passes on what is not compressed', async () => {
    expect((await read(text)).equals(text)).toBe(true);
    expect(await read(Buffer.alloc(0))).toHaveLength(0);
    expect(await read(Buffer.from([0x1f]))).toEqual(Buffer.from([0x1f]));
  });

  it('decompresses gzip by its first bytes, in any pieces', async () => {
    for (const size of [13, 100_000]) expect((await read(gzipSync(text), LIMITS, size)).equals(text)).toBe(true);
  });

  it('reads files of several gzip members whole', async () => {
    const members = Buffer.concat([gzipSync(text.subarray(0, 50_000)), gzipSync(text.subarray(50_000))]);
    expect((await read(members)).equals(text)).toBe(true);
  });

  it('refuses what grows too much, before it is read whole', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 ** 2));
    await expect(read(bomb, DATASET_LIMITS)).rejects.toMatchObject({
      reason: 'too_large',
      message: 'The file grows more than 200 times when it is decompressed.',
    });
    await expect(read(bomb, { ...LIMITS, ratio: 5_000 })).rejects.toMatchObject({ message: 'The file is larger than 8 MiB decompressed.' });
    await expect(read(Buffer.alloc(9 * 1024 ** 2), LIMITS, 65_536)).rejects.toMatchObject({ message: 'The file is larger than 8 MiB.' });
  });

  it('does not decompress twice', async () => {
    const inner = gzipSync(text);
    expect((await read(gzipSync(inner))).equals(inner)).toBe(true);
  });

  it('names a cut or damaged file', async () => {
    const whole = gzipSync(text);
    const cut = { reason: 'unreadable', message: 'The file is gzip, but it is cut or damaged. Compress it again.' };
    await expect(read(whole.subarray(0, whole.length - 20))).rejects.toMatchObject(cut);
    await expect(read(Buffer.concat([whole.subarray(0, 500), Buffer.alloc(500, 7)]))).rejects.toMatchObject(cut);
  });

  it('passes on faults of the source', async () => {
    const broken = async function* () {
      yield gzipSync(text).subarray(0, 100);
      throw new Error('the disk is gone');
    };
    await expect(async () => {
      for await (const part of plainBytes(broken(), LIMITS)) expect(part).toBeDefined();
    }).rejects.toThrow('the disk is gone');
  });
});

it('writes sizes as people do', () => {
  expect([1024 ** 2, 2 * 1024 ** 3, 1536, 4096].map(bytesInWords)).toEqual(['1 MiB', '2 GiB', '1536 bytes', '4 KiB']);
});
