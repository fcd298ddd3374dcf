import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { copyWithThreads, readThreadPlaces, type ThreadPlaces } from './thread-patch.js';

const FOLDER = '@some/package/prebuilds/linux-x64/libraries';
let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'slipway-threads-'));
});
afterEach(() => rm(home, { recursive: true }));

async function aLibrary(bytes: Buffer): Promise<ThreadPlaces> {
  const folder = join(home, 'node_modules', FOLDER);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'cpu.so'), bytes);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { folder: FOLDER, default_threads: 4, files: { 'cpu.so': { sha256, at: [8, 20] } } };
}

const fourTwice = (): Buffer => {
  const bytes = Buffer.alloc(32, 0xff);
  bytes.writeUInt32LE(4, 8);
  bytes.writeUInt32LE(4, 20);
  return bytes;
};

describe('copyWithThreads', () => {
  it('changes the two numbers and nothing else', async () => {
    const places = await aLibrary(fourTwice());
    await copyWithThreads(places, join(home, 'node_modules'), join(home, 'to'), 1);
    const copy = await readFile(join(home, 'to/linux-x64/libraries/cpu.so'));
    const wanted = fourTwice();
    wanted.writeUInt32LE(1, 8);
    wanted.writeUInt32LE(1, 20);
    expect(copy.equals(wanted)).toBe(true);
  });

  it('refuses a library with another hash as trainer_unavailable', async () => {
    const places = await aLibrary(fourTwice());
    await writeFile(join(home, 'node_modules', FOLDER, 'cpu.so'), Buffer.concat([fourTwice(), Buffer.from('x')]));
    const copying = copyWithThreads(places, join(home, 'node_modules'), join(home, 'to'), 1);
    await expect(copying).rejects.toMatchObject({ code: 'trainer_unavailable', message: expect.stringContaining('cpu.so') });
  });

  it('refuses a missing library as trainer_unavailable', async () => {
    const places = await aLibrary(fourTwice());
    const copying = copyWithThreads(places, join(home, 'elsewhere'), join(home, 'to'), 1);
    await expect(copying).rejects.toMatchObject({ code: 'trainer_unavailable' });
  });

  it('knows all libraries of the pinned version', async () => {
    const places = await readThreadPlaces(new URL('../../../../../trainers/embedded/threads.json', import.meta.url).pathname);
    expect(Object.keys(places.files)).toHaveLength(14);
  });
});
