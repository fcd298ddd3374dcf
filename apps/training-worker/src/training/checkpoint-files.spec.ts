import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packState, unpackCheckpoint } from './checkpoint-files.js';

let home: string;
let folder: string;
let adapter: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'slipway-checkpoint-'));
  folder = join(home, 'checkpoints/30');
  adapter = join(folder, 'model.gguf');
  await mkdir(folder, { recursive: true });
  await writeFile(adapter, 'weights');
  await writeFile(join(folder, 'optimizer.gguf'), 'moments');
});
afterEach(() => rm(home, { recursive: true }));

const packed = (): Promise<string> => packState({ folder, step: 30, adapter }, join(home, 'packed'));

describe('a packed checkpoint', () => {
  it('is as its trainer wrote it, once unpacked', async () => {
    const [state, back] = [await packed(), join(home, 'resume')];
    await unpackCheckpoint({ step: 30, adapter, state }, back);
    expect((await readdir(back)).toSorted()).toEqual(['model.gguf', 'optimizer.gguf', 'slipway.json']);
    expect(await readFile(join(back, 'model.gguf'), 'utf8')).toBe('weights');
  });

  it('leaves nothing in the folder of the trainer', async () => {
    await packed();
    expect(await readdir(join(home, 'checkpoints'))).toEqual(['30']);
    expect((await readdir(folder)).toSorted()).toEqual(['model.gguf', 'optimizer.gguf']);
  });

  it('follows no link', async () => {
    await writeFile(join(home, 'key'), 'a key');
    await symlink(join(home, 'key'), join(folder, 'state.bin'));
    await expect(packed()).rejects.toMatchObject({ code: 'ELOOP' });
  });
});
