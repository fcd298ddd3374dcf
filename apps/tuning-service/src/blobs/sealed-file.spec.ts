import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RawReader, readStored, type StagedFile, StagedWriter } from './sealed-file.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-sealed-'));
});
afterEach(() => rm(folder, { recursive: true }));

const KEY = randomBytes(32);
const rawOf =
  (path: string): RawReader =>
  (start, end) =>
    end > start ? createReadStream(path, { start, end: end - 1 }) : Readable.from([]);

async function written(bytes: Buffer, key: Buffer | null, piece: number): Promise<StagedFile> {
  const writer = await StagedWriter.create(join(folder, randomBytes(4).toString('hex')), key);
  for (let at = 0; at < bytes.length; at += piece) await writer.write(bytes.subarray(at, at + piece));
  return writer.finish();
}

async function read(file: StagedFile, key: Buffer | null, start?: number, end?: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of readStored({ raw: rawOf(file.path), key, bytes: file.bytes }, start, end)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe('a stored file', () => {
  const SIZES = [0, 1, 65_535, 65_536, 65_537, 131_072, 300_001];
  it.each(SIZES.flatMap((size) => [[size, true] as const, [size, false] as const]))(
    'of %i bytes is read as it was written, sealed: %s',
    async (size, sealed) => {
      const [bytes, key] = [randomBytes(size), sealed ? KEY : null];
      const file = await written(bytes, key, 10_007);
      expect(file).toMatchObject({ bytes: size, isSealed: sealed, sha256: createHash('sha256').update(bytes).digest('hex') });
      expect((await read(file, key)).equals(bytes)).toBe(true);
      const ranges = [
        [0, 1],
        [size - 1, size],
        [65_530, 65_540],
        [70_000, 200_000],
        [size, size],
      ].filter(([from = 0, to = 0]) => from >= 0 && to <= size);
      for (const [from, to] of ranges) expect((await read(file, key, from, to)).equals(bytes.subarray(from, to))).toBe(true);
    },
  );

  it('shows nothing of its text on disk', async () => {
    const file = await written(Buffer.from('The release codename is Blue Heron.'.repeat(5_000)), KEY, 4_096);
    expect((await readFile(file.path)).includes('Heron')).toBe(false);
  });

  it('does not open once it is changed, cut or sealed with another key', async () => {
    const bytes = randomBytes(200_000);
    const changed = await written(bytes, KEY, 50_000);
    const raw = await readFile(changed.path);
    raw[70_000] = (raw[70_000] ?? 0) ^ 1;
    await writeFile(changed.path, raw);
    await expect(read(changed, KEY)).rejects.toThrow(/was changed/);
    const cut = await written(bytes, KEY, 50_000);
    await truncate(cut.path, 8 + 2 * 65_552);
    await expect(read(cut, KEY)).rejects.toThrow(/too early|was changed/);
    await expect(read(await written(bytes, KEY, 50_000), randomBytes(32))).rejects.toThrow(/was changed/);
  });
});
