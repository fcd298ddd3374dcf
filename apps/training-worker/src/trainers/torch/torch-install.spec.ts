import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TORCH_SOURCES, TorchInstall } from './torch-install.js';

/** A Python that makes environments and plays pip, and says what it was asked. */
const PYTHON = `#!/bin/sh
if [ "$1" = --version ]; then echo "Python 3.12.1"; exit; fi
if [ "$2" = venv ]; then mkdir -p "$3/bin"; cp "$0" "$3/bin/python"; exit; fi
echo "$@" >> "$PIP_SAID"
if [ -e "$PIP_SAID.fails" ]; then echo "ERROR: No matching distribution found for torch" >&2; exit 1; fi
echo "  Downloading torch-2.15.0-cp312-cp312-manylinux.whl (874.6 MB)"
`;

let folder: string;
let install: TorchInstall;
const said = (): string => join(folder, 'said');
const none = new AbortController().signal;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-torch-'));
  await mkdir(join(folder, 'bin'));
  await writeFile(join(folder, 'bin/python3'), PYTHON);
  await chmod(join(folder, 'bin/python3'), 0o755);
  await writeFile(join(folder, 'requirements.lock'), 'torch==2.15.0 --hash=sha256:00');
  vi.stubEnv('PATH', `${join(folder, 'bin')}${delimiter}${process.env['PATH'] ?? ''}`);
  vi.stubEnv('PIP_SAID', said());
  install = new TorchInstall({ folder: join(folder, 'trainers'), sources: folder });
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

describe('the installation of the torch trainer', () => {
  it('takes only files whose hashes are pinned, and says what it fetches', async () => {
    const progress: string[] = [];
    expect(await install.find()).toBeNull();
    const python = await install.ensure(none, (what) => progress.push(what));
    expect(await install.find()).toBe(python);
    expect(progress).toContain('torch, 874.6 MB');
    expect(readFileSync(said(), 'utf8')).toMatch(/-m pip install .*--require-hashes --only-binary :all: --no-deps .*requirements\.lock/);
  });

  it('leaves nothing but its downloads when it fails, and says why', async () => {
    await writeFile(`${said()}.fails`, '');
    await expect(install.ensure(none)).rejects.toMatchObject({
      code: 'trainer_unavailable',
      message: expect.stringContaining('no file of a package'),
    });
    expect((await readdir(join(folder, 'trainers'))).filter((name) => name !== 'torch-downloads')).toEqual([]);
  });

  it('replaces the packages of an earlier lock file', async () => {
    const first = await install.ensure(none);
    await writeFile(join(folder, 'requirements.lock'), 'torch==2.15.1 --hash=sha256:01');
    const second = await new TorchInstall({ folder: join(folder, 'trainers'), sources: folder }).ensure(none);
    expect(second).not.toBe(first);
    expect([existsSync(first), existsSync(second)]).toEqual([false, true]);
  });

  it('names what is missing where there is no Python', async () => {
    vi.stubEnv('PATH', join(folder, 'none'));
    await expect(install.ensure(none)).rejects.toMatchObject({
      code: 'trainer_unavailable',
      message: expect.stringContaining('TORCH_PYTHON'),
    });
  });

  it('uses the Python that the operator names, and installs nothing', async () => {
    const given = join(folder, 'bin/python3');
    expect(await new TorchInstall({ folder, python: given }).ensure(none)).toBe(given);
    const missing = new TorchInstall({ folder, python: join(folder, 'none') }).ensure(none);
    await expect(missing).rejects.toMatchObject({ code: 'trainer_unavailable', message: expect.stringContaining('TORCH_PYTHON') });
    expect(existsSync(said())).toBe(false);
  });

  it('pins every package by the hashes of its files', () => {
    const lock = readFileSync(join(TORCH_SOURCES, 'requirements.lock'), 'utf8');
    const packages = lock.split(/\n(?=[a-z0-9])/);
    expect(packages.length).toBeGreaterThan(50);
    expect(packages.filter((one) => !/^[a-z0-9.-]+==\S+.*--hash=sha256:[0-9a-f]{64}/s.test(one))).toEqual([]);
    expect(lock).not.toMatch(/https?:|--index-url/);
  });
});
