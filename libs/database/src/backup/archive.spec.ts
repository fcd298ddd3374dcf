import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ArchiveError, ArchiveReader } from './archive-reader.js';
import { ArchiveWriter } from './archive-writer.js';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-archive-'));
  path = join(folder, 'a.tar');
});
afterEach(() => rm(folder, { recursive: true }));

const MANIFEST = { release: '1.2.3', environment: 'dev', databases: {} };

/** Numbered lines, in chunks as a server sends them. */
async function* lines(count: number): AsyncGenerator<Buffer> {
  for (let i = 0; i < count; i += 100) {
    yield await Promise.resolve(Buffer.from(Array.from({ length: 100 }, (_, j) => `row ${i + j}\n`).join('')));
  }
}

async function written(count = 1_000): Promise<{ bytes: number; sha256: string; parts: number }> {
  const writer = await ArchiveWriter.create(path);
  const table = await writer.addParts('keys/keys.key', lines(count));
  await writer.finish(MANIFEST);
  return table;
}

/** The code of what opening and checking throws; null = nothing. */
async function faultOf(archive: string): Promise<string | null> {
  try {
    const reader = await ArchiveReader.open(archive);
    try {
      await reader.verify();
    } finally {
      await reader.close();
    }
    return null;
  } catch (error) {
    if (error instanceof ArchiveError) return error.code;
    throw error;
  }
}

describe('an archive', () => {
  it('gives back what was written, in several parts', async () => {
    const { parts, sha256, bytes } = await written(200_000);
    expect(parts).toBeGreaterThan(1);
    const reader = await ArchiveReader.open(path);
    expect(reader.manifest).toEqual({ format: 1, ...MANIFEST });
    const hash = createHash('sha256');
    let read = 0;
    for await (const part of reader.parts('keys/keys.key', parts)) {
      hash.update(part);
      read += part.length;
    }
    expect([read, hash.digest('hex')]).toEqual([bytes, sha256]);
    await reader.verify();
    await reader.close();
  });

  it('is readable by its owner only', async () => {
    await written();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('has no name before it is whole, nor after it failed', async () => {
    const writer = await ArchiveWriter.create(path);
    await writer.addParts('keys/keys.key', lines(100));
    await expect(stat(path)).rejects.toThrow('ENOENT');
    await writer.discard();
    await expect(stat(`${path}.part`)).rejects.toThrow('ENOENT');
  });

  it('replaces no file', async () => {
    await writeFile(path, 'other');
    await expect(ArchiveWriter.create(path)).rejects.toThrow('exists');
  });

  it('is refused with any byte changed', async () => {
    await written();
    const whole = await readFile(path);
    for (let at = 0; at < whole.length; at += 61) {
      const changed = Buffer.from(whole);
      changed.writeUInt8(whole.readUInt8(at) ^ 1, at);
      await writeFile(path, changed);
      expect([at, await faultOf(path)]).toEqual([at, 'damaged']);
    }
  });

  it('is refused when it is cut short or longer', async () => {
    await written();
    const whole = await readFile(path);
    await writeFile(path, Buffer.concat([whole, Buffer.alloc(512)]));
    expect(await faultOf(path)).toBe('damaged');
    for (const bytes of [whole.length - 1, whole.length - 1_024, 700, 0]) {
      await truncate(path, bytes);
      expect([bytes, await faultOf(path)]).toEqual([bytes, 'damaged']);
    }
  });

  it('is refused in a newer format, with its release', async () => {
    const writer = await ArchiveWriter.create(path);
    await writer.finish({ ...MANIFEST, ...{ format: 2, release: '9.0.0' } });
    await expect(ArchiveReader.open(path)).rejects.toThrow('Release 9.0.0 made it');
    expect(await faultOf(path)).toBe('newer');
  });
});
