import { execFile } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isAlive } from '../../testing/is-alive.js';
import {
  Launcher,
  REPOSITORY,
  type Ready,
  chat,
  eventually,
  freePort,
  processesOf,
  removeFolder,
  temporaryFolder,
  textOfStream,
} from '../launcher.js';

const NAMES = ['postgres', 'nats-server', 'control-plane', 'worker-1', 'gateway-1', 'console'];

// One data directory through several lives, in the order of these tests.
let dataDir: string;
let port: string;
let launcher: Launcher;
let first: Ready;
let key: string;

const start = (...args: string[]): Launcher => new Launcher(['--data-dir', dataDir, '--port', port, ...args]);
const aliasUrl = (): string => `http://127.0.0.1:${port}/local/demo/v1`;
const record = async (name: string): Promise<number> =>
  (JSON.parse(await readFile(join(dataDir, 'run', `${name}.json`), 'utf8')) as { pid: number }).pid;

beforeAll(async () => {
  dataDir = await temporaryFolder();
  port = String(await freePort());
  launcher = start('--json');
  first = await launcher.ready();
  key = first.key ?? '';
});

afterAll(async () => {
  await launcher.stop();
  // A test that failed may have left processes without a launcher; the next start would end them.
  for (const line of processesOf(dataDir)) process.kill(Number(line.split(' ')[0]), 'SIGKILL');
  await removeFolder(dataDir);
});

it('--json prints all addresses in one line', () => {
  expect(launcher.stdout.trimEnd().split('\n')).toHaveLength(1);
  expect(first).toMatchObject({
    base_url: `http://127.0.0.1:${port}`,
    deployment: 'deployment-1',
    alias: 'local/demo',
    gateways: [`http://127.0.0.1:${port}`],
  });
  expect(key).toMatch(/^svc_dep_[0-9A-Za-z]{49}$/);
  const names = first.processes.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining([...NAMES, 'runner-1-1']));
  for (const { name, pid } of first.processes) expect(isAlive(pid), name).toBe(true);
});

it('the key opens alias and slug', async () => {
  expect(await chat(aliasUrl(), key)).toMatch(/\w/);
  expect(await chat(`${first.base_url}/${first.deployment}/v1`, key)).toMatch(/\w/);
});

it('the set-up link works once', async () => {
  const [page = '', token = ''] = (first.setup_url ?? '').split('#');
  expect(page).toBe(`${first.console_url}/join`);
  const accept = (): Promise<Response> =>
    fetch(`${first.console_url}/api/invitations/accept`, {
      method: 'POST',
      headers: { origin: first.console_url, 'content-type': 'application/json' },
      body: JSON.stringify({ token, email: 'ada@example.com', password: 'correct horse battery' }),
    });
  const answer = await accept();
  expect([answer.status, await answer.json()]).toMatchObject([200, { account: { slug: 'local', role: 'owner' } }]);
  expect((await accept()).status).toBe(404);
});

it('links of the command line open this console', async () => {
  const run = async (...words: string[]): Promise<string> => {
    const args = [join(REPOSITORY, 'apps/cli/bin/slipway.mjs'), ...words, '--json', '--data-dir', dataDir];
    return (await promisify(execFile)(process.execPath, args)).stdout;
  };
  await run('accounts', 'create', 'acme');
  for (const words of [
    ['invite', 'eve@example.com'],
    ['set-up', '--account', 'acme'],
  ]) {
    const { link } = JSON.parse(await run('users', ...words)) as { link: string };
    expect(link.split('#')[0], words[0]).toBe(`${first.console_url}/join`);
  }
});

it('no file holds the key; secrets are private', async () => {
  const files = await readdir(dataDir, { recursive: true, withFileTypes: true });
  for (const file of files.filter((entry) => entry.isFile())) {
    const content = await readFile(join(file.parentPath, file.name), 'latin1').catch(() => '');
    expect(content.includes(key), join(file.parentPath, file.name)).toBe(false);
  }
  const { stdout } = await promisify(execFile)('find', [
    join(dataDir, 'secrets'),
    join(dataDir, 'run'),
    join(dataDir, 'logs'),
    '-perm',
    '/077',
  ]);
  expect(stdout).toBe('');
});

it('a second launcher names the running one', async () => {
  const second = start();
  expect(await second.ended()).toBe(1);
  expect(second.stderr).toBe(`✗ Slipway is already running on ${dataDir}: pid ${launcher.pid}, at http://127.0.0.1:${port}.\n`);
});

it('killed processes are restarted', async () => {
  for (const name of ['worker-1', 'nats-server', 'postgres']) {
    const before = await record(name);
    process.kill(before, 'SIGKILL');
    await eventually(async () => !isAlive(before) && (await record(name)) !== before && isAlive(await record(name)));
    expect(launcher.stderr).toContain(`${name} ended with signal SIGKILL; restarting it.`);
  }
  await eventually(
    () =>
      chat(aliasUrl(), key).then(
        (text) => text.length > 0,
        () => false,
      ),
    30_000,
  );
});

it('SIGTERM stops everything within 10 s', async () => {
  const since = Date.now();
  launcher.child.kill('SIGTERM');
  expect(await launcher.ended()).toBe(0);
  expect(Date.now() - since).toBeLessThan(10_000);
  expect(processesOf(dataDir)).toEqual([]);
  expect(await readdir(join(dataDir, 'run'))).toEqual([]);
});

it('the next start keeps deployment and key', async () => {
  launcher = start('--json');
  const second = await launcher.ready();
  expect(second).toMatchObject({ deployment: first.deployment, alias: first.alias, key: null, setup_url: null });
  expect(await chat(aliasUrl(), key)).toMatch(/\w/);
});

it('a start after kill -9 ends leftovers', async () => {
  launcher.child.kill('SIGKILL');
  await launcher.ended();
  const left = await Promise.all(NAMES.map(record));
  expect(left.every(isAlive)).toBe(true);
  launcher = start('--new-key');
  const text = await launcher.printed(/Ctrl-C stops everything/);
  expect(launcher.stderr).toContain('Ended processes of an earlier start: ');
  expect(left.filter(isAlive)).toEqual([]);
  const curl = /^ {2}(curl .*)$/m.exec(text)?.[1] ?? '';
  const exported = /(export SLIPWAY_API_KEY=\S+)/.exec(text)?.[1] ?? '';
  const { stdout } = await promisify(execFile)('bash', ['-c', `${exported}\n${curl}`]);
  expect(textOfStream(stdout)).toMatch(/\w/);
  expect(await chat(aliasUrl(), key)).toMatch(/\w/);
});

it('Ctrl-C stops everything, a closed output does not', async () => {
  launcher.child.stdout?.destroy();
  launcher.child.stderr?.destroy();
  const worker = await record('worker-1');
  process.kill(worker, 'SIGKILL');
  await eventually(async () => (await record('worker-1')) !== worker);
  expect(launcher.child.exitCode).toBeNull();
  launcher.child.kill('SIGINT');
  expect(await launcher.ended()).toBe(0);
  expect(processesOf(dataDir)).toEqual([]);
});

it.each(['SIGINT', 'SIGTERM'] as const)('%s to npm alone stops everything', async (signal) => {
  launcher = new Launcher(['--data-dir', dataDir, '--port', port, '--json'], { byNpm: true });
  await launcher.printed(/"base_url"/);
  launcher.child.kill(signal);
  await launcher.ended();
  await eventually(() => processesOf(dataDir).length === 0);
  expect(await readdir(join(dataDir, 'run'))).toEqual([]);
});
