import { execFile, execFileSync } from 'node:child_process';
import { chmod, cp, mkdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  Launcher,
  REPOSITORY,
  type StartOptions,
  freePort,
  processesOf,
  removeFolder,
  temporaryFolder,
  textOfStream,
} from '../launcher.js';

const NOT_CLONED = new Set(['node_modules', 'dist', '.git', '.cache', '.slipway', 'coverage']);
const IS_ROOT = process.getuid?.() === 0;
const SLOW_MS = 240_000;

let folder: string;
let clone: string;
let port: string;
let launcher: Launcher;

beforeAll(async () => {
  folder = await temporaryFolder();
  await chmod(folder, 0o755);
  clone = join(folder, 'a fresh clone');
  await cp(REPOSITORY, clone, { recursive: true, filter: (source) => !NOT_CLONED.has(basename(source)) });
  port = String(await freePort());
});

afterEach(() => launcher.stop());

afterAll(async () => {
  for (const line of processesOf(folder)) process.kill(Number(line.split(' ')[0]), 'SIGKILL');
  await removeFolder(folder);
});

async function firstAnswer(root: string, options: StartOptions): Promise<{ out: string; steps: string; answer: string }> {
  launcher = new Launcher(['--port', port], { ...options, root });
  const out = await launcher.printed(/Ctrl-C stops everything/, SLOW_MS);
  const curl = /^ {2}(curl .*)$/m.exec(out)?.[1] ?? '';
  const exported = /(export SLIPWAY_API_KEY=\S+)/.exec(out)?.[1] ?? '';
  const { stdout } = await promisify(execFile)('bash', ['-c', `${exported}\n${curl}`]);
  return { out, steps: launcher.stderr, answer: textOfStream(stdout) };
}

describe('a restricted user without nats-server', () => {
  // Not root: then the tests' own user is such a user.
  const unprivileged: StartOptions = {
    environment: { HOME: '/nonexistent', NATS_SERVER_BIN: '', PATH: '/usr/local/bin:/usr/bin:/bin' },
    wrapper: IS_ROOT ? ['setpriv', '--reuid=nobody', '--regid=nogroup', '--clear-groups'] : [],
  };

  it(
    'npm start installs everything and serves a request',
    async () => {
      if (IS_ROOT) execFileSync('chown', ['-R', 'nobody:nogroup', clone]);
      const { steps, answer } = await firstAnswer(clone, unprivileged);
      expect(steps).toMatch(/✓ Installing dependencies/);
      expect(steps).toMatch(/✓ Building/);
      expect(answer).toMatch(/\w/);
      launcher.child.kill('SIGINT');
      expect(await launcher.ended()).toBe(0);
      expect(processesOf(folder)).toEqual([]);
    },
    SLOW_MS,
  );

  it(
    'the second start installs and builds nothing',
    async () => {
      launcher = new Launcher(['--port', port], { ...unprivileged, root: clone });
      await launcher.printed(/Ctrl-C stops everything/, SLOW_MS);
      expect(launcher.stderr).not.toMatch(/Installing|Building|Fetching/);
      expect(launcher.stdout).toContain('npm start -- --new-key');
    },
    SLOW_MS,
  );
});

describe.runIf(IS_ROOT)('root with the clone in a closed home', () => {
  it(
    'PostgreSQL runs as nobody outside the clone',
    async () => {
      const home = join(folder, 'closed');
      await mkdir(home, { mode: 0o700 });
      execFileSync('cp', ['-al', clone, home]);
      execFileSync('rm', ['-rf', join(home, basename(clone), '.slipway')]);
      execFileSync('chown', ['-R', 'root:root', home]);
      const root = join(home, basename(clone));
      const first = await firstAnswer(root, {});
      const moved = [...first.steps.matchAll(/it uses (\/var\/lib\/slipway\/\S+)\./g)].map((match) => match[1]!);
      try {
        expect(moved).toHaveLength(2);
        expect(first.answer).toMatch(/\w/);
        await launcher.stop();
        launcher = new Launcher(['--port', port], { root });
        await launcher.printed(/npm start -- --new-key/, SLOW_MS);
      } finally {
        await launcher.stop();
        for (const path of moved.filter((one) => !basename(one).startsWith('postgres-'))) await rm(path, { recursive: true, force: true });
      }
    },
    SLOW_MS,
  );
});
