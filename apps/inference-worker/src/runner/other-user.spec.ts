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
  it('with world read permission is open to another user', () => {
    expect(closedTo(OTHER, [file])).toBeNull();
  });

  it('with owner permission only is closed to another user', () => {
    chmodSync(file, 0o600);
    expect(closedTo(OTHER, [file])).toBe(file);
    const { uid, gid } = statSync(file);
    expect(closedTo({ uid, gid }, [file])).toBeNull();
  });

  it('with group read permission is open to its members', () => {
    chmodSync(file, 0o640);
    expect(closedTo({ uid: OTHER.uid, gid: statSync(file).gid }, [file])).toBeNull();
  });

  it('in a closed folder is closed, and the folder named', () => {
    chmodSync(join(folder, 'models'), 0o700);
    expect(closedTo(OTHER, [file])).toBe(join(folder, 'models'));
  });

  it('that does not exist counts as open', () => {
    expect(closedTo(OTHER, [join(folder, 'absent.gguf')])).toBeNull();
  });
});
