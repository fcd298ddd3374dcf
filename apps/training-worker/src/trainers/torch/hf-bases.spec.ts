import { existsSync, readFileSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HfBases } from './hf-bases.js';

/** Plays the converter, which is the first argument: a base that begins with `no` has no other form. */
const PYTHON = `#!/bin/sh
echo called >> "$1.calls"
if grep -q ^no "$2"; then echo "Bases of the architecture llama cannot be converted."; exit 3; fi
echo '{}' > "$3/config.json"
cp "$2" "$3/model-00001.safetensors"
`;

let folder: string;
let base: string;
const bases = (): HfBases => new HfBases({ folder: join(folder, 'made'), converter: join(folder, 'convert') });
const python = (): string => join(folder, 'python');
const calls = (): number =>
  existsSync(join(folder, 'convert.calls')) ? readFileSync(join(folder, 'convert.calls'), 'utf8').trim().split('\n').length : 0;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-hf-'));
  base = join(folder, 'tiny.Q8_0.gguf');
  await writeFile(base, 'weights');
  await writeFile(python(), PYTHON);
  await chmod(python(), 0o755);
});
afterEach(() => rm(folder, { recursive: true }));

describe('a base in the form of Hugging Face', () => {
  it('is the folder beside the GGUF that has its name', async () => {
    const beside = join(folder, 'tiny.Q8_0');
    await mkdir(beside);
    await writeFile(join(beside, 'config.json'), '{}');
    await writeFile(join(beside, 'model.safetensors'), '');
    expect(await bases().folderOf(base, python())).toBe(beside);
    expect(calls()).toBe(0);
  });

  it('is made once for each content, whatever its name', async () => {
    const made = await bases().folderOf(base, python());
    await copyFile(base, join(folder, 'other.gguf'));
    expect(await bases().folderOf(join(folder, 'other.gguf'), python())).toBe(made);
    expect(calls()).toBe(1);
    await writeFile(base, 'other weights');
    expect(await bases().folderOf(base, python())).not.toBe(made);
  });

  it('does not exist for a base that cannot be converted, and nothing is left', async () => {
    await writeFile(base, 'no');
    const message = 'Bases of the architecture llama cannot be converted.';
    await expect(bases().folderOf(base, python())).rejects.toMatchObject({ code: 'base_not_trainable', message });
    expect((await readdir(join(folder, 'made'))).filter((name) => name.startsWith('draft-'))).toEqual([]);
  });
});
