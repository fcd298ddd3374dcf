import { createHash } from 'node:crypto';
import { mkdtemp, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FileHashes, fileIdentity } from './file-hashes.js';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-hashes-'));
  file = join(folder, 'a.gguf');
  await writeFile(file, 'one');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it('a file is hashed once until it changes', async () => {
  const hashes = new FileHashes(folder);
  expect(await Promise.all([hashes.of(file), hashes.of(file)])).toEqual(
    Array.from({ length: 2 }, () => ({ sha256: sha256('one'), identity: expect.any(String) as string })),
  );
  await writeFile(join(folder, 'file-hashes.json'), JSON.stringify({ [await fileIdentity(file)]: sha256('remembered') }));
  expect((await hashes.of(file)).sha256).toBe(sha256('one'));
  expect((await new FileHashes(folder).of(file)).sha256).toBe(sha256('remembered'));
});

it('a file with the same size and time is another one', async () => {
  const hashes = new FileHashes(folder);
  const time = new Date(1_700_000_000_000);
  await utimes(file, time, time);
  const before = await hashes.of(file);
  await writeFile(`${file}.new`, 'two');
  await utimes(`${file}.new`, time, time);
  await rename(`${file}.new`, file);
  expect((await hashes.of(file)).sha256).toBe(sha256('two'));
  await writeFile(file, 'six');
  await utimes(file, time, time);
  const last = await hashes.of(file);
  expect([last.sha256, last.identity === before.identity]).toEqual([sha256('six'), false]);
});

it('a model in parts has the hash of all of them', async () => {
  const parts = ['m-00001-of-00002.gguf', 'm-00002-of-00002.gguf'].map((name) => join(folder, name)) as [string, string];
  await writeFile(parts[0], 'first');
  await writeFile(parts[1], 'second');
  const hashes = new FileHashes(folder);
  expect((await hashes.of(parts[0])).sha256).toBe(sha256('firstsecond'));
  await writeFile(parts[1], 'other');
  expect((await hashes.of(parts[0])).sha256).toBe(sha256('firstother'));
});

it('a damaged memory of hashes is read as empty', async () => {
  await writeFile(join(folder, 'file-hashes.json'), '{"a":');
  expect((await new FileHashes(folder).of(file)).sha256).toBe(sha256('one'));
  await expect(new FileHashes(folder).of(join(folder, 'absent'))).rejects.toThrow('ENOENT');
});
