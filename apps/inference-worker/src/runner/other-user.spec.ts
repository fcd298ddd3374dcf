import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { closedTo } from './other-user.js';

const OTHER = { uid: 65_534, gid: 65_534 };
let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-other-'));
  mkdirSync(join(folder, 'models'));
  file = join(folder, 'models', 'm.gguf');
  writeFileSync(file, '');
  for (const [path, mode] of [
    [folder, 0o755],
    [join(folder, 'models'), 0o755],
    [file, 0o644],
  ] as const)
    chmodSync(path, mode);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a file', () => {
  it('that everybody may read is open to another user', () => {
    expect(closedTo(OTHER, [file])).toBeNull();
  });

  it('that its owner alone may read is closed to another user, and open to the owner', () => {
    chmodSync(file, 0o600);
    expect(closedTo(OTHER, [file])).toBe(file);
    const { uid, gid } = statSync(file);
    expect(closedTo({ uid, gid }, [file])).toBeNull();
  });

  it('that a group may read is open to who is in it', () => {
    chmodSync(file, 0o640);
    expect(closedTo({ uid: OTHER.uid, gid: statSync(file).gid }, [file])).toBeNull();
  });

  it('in a folder that is closed is closed, and the folder is named', () => {
    chmodSync(join(folder, 'models'), 0o700);
    expect(closedTo(OTHER, [file])).toBe(join(folder, 'models'));
  });

  it('that is not there is left to whoever reads it', () => {
    expect(closedTo(OTHER, [join(folder, 'absent.gguf')])).toBeNull();
  });
});
