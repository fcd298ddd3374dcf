import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Peer } from '../../bench/src/peers/peer.js';
import { checkOut } from '../../bench/src/ways/checkout.js';
import { installPeer } from '../../bench/src/ways/peer-way.js';

const folder = mkdtempSync(join(tmpdir(), 'slipway-bench-spec-'));
const root = join(folder, 'repository');
const git = (...words: string[]): void =>
  void execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@localhost', ...words], { cwd: root });
const write = (file: string, text: string): void => {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
};
const commit = (subject: string): void => {
  git('add', '-A');
  git('commit', '--quiet', '-m', subject);
};

beforeAll(() => {
  mkdirSync(root);
  git('init', '--quiet', '--initial-branch', 'main');
  write('.gitignore', 'node_modules/\n');
  write('package-lock.json', 'other lock');
  commit('first');
  write('package-lock.json', 'lock');
  write('libs/a/index.js', 'old');
  commit('second');
  write('libs/a/index.js', 'new');
  commit('third');
  write('node_modules/b/index.js', 'b');
  mkdirSync(join(root, 'node_modules/@slipway'));
  symlinkSync('../../libs/a', join(root, 'node_modules/@slipway/a'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('another state of the product', () => {
  it('has its own libraries behind the dependencies of this one', async () => {
    const { root: other, commit: found } = await checkOut(root, 'HEAD~1', join(folder, 'second'));
    const library = join(other, 'node_modules/@slipway/a/index.js');
    expect([readFileSync(library, 'utf8'), realpathSync(library)]).toEqual(['old', join(realpathSync(other), 'libs/a/index.js')]);
    expect(readFileSync(join(other, 'node_modules/b/index.js'), 'utf8')).toBe('b');
    expect(found).toMatch(/^[0-9a-f]{8,}$/);
  });

  it('has no dependencies of another lock file', async () => {
    const { root: other } = await checkOut(root, 'HEAD~2', join(folder, 'first'));
    expect([existsSync(join(other, 'package-lock.json')), existsSync(join(other, 'node_modules'))]).toEqual([true, false]);
  });

  it('is refused by its name when git does not know it', async () => {
    await expect(checkOut(root, 'nowhere', join(folder, 'none'))).rejects.toThrow('--against: git knows no commit nowhere.');
  });
});

describe('the installation of a peer', () => {
  const peer = (text: string, script: string): Peer => ({
    ...{ name: 'p', version: '1', does: [], lacks: [], files: { 'settings.txt': text } },
    install: [[process.execPath, '-e', script]],
    start: () => ({ words: [] }),
    target: () => null,
  });
  const append = `require('node:fs').appendFileSync('log.txt', 'installed ')`;
  const installed = async (text: string): Promise<string> => {
    const place = await installPeer(peer(text, append), join(folder, 'cache'), { PATH: process.env['PATH'] });
    return readFileSync(join(place, 'log.txt'), 'utf8');
  };

  it('is done once, and again when its files change', async () => {
    expect([await installed('a'), await installed('a'), await installed('b')]).toEqual(['installed ', 'installed ', 'installed ']);
    writeFileSync(join(folder, 'cache/p-1/log.txt'), 'kept');
    expect([await installed('b'), await installed('c')]).toEqual(['kept', 'installed ']);
  });

  it('says what failed, and is tried again', async () => {
    const broken = peer('d', `console.error('no such wheel'); process.exit(1)`);
    await expect(installPeer(broken, join(folder, 'cache'), {})).rejects.toThrow('p could not be installed: no such wheel');
    expect(await installed('d')).toBe('installed ');
  });
});
