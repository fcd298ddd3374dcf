import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Launcher, chat, freePort, removeFolder, temporaryFolder } from '../../launcher/launcher.js';
import { type Run, documentOf, runCli } from '../cli-rig.js';

let dataDir: string;
let launcher: Launcher;
let baseUrl: string;

const slipway = (...args: string[]): Promise<Run> => runCli([...args, '--data-dir', dataDir]);

/** Whatever `npm start` keeps secret: each long word in the files of its secrets. */
async function secretsOf(folder: string): Promise<string[]> {
  const files = await readdir(join(folder, 'secrets'), { recursive: true, withFileTypes: true });
  const texts = await Promise.all(files.filter((one) => one.isFile()).map((one) => readFile(join(one.parentPath, one.name), 'utf8')));
  return texts.flatMap((text) => text.match(/[\w+/-]{24,}/g) ?? []);
}

beforeAll(async () => {
  dataDir = await temporaryFolder();
  launcher = new Launcher(['--json', '--data-dir', dataDir, '--port', String(await freePort())]);
  baseUrl = (await launcher.ready()).base_url;
});
afterAll(async () => {
  await launcher.stop();
  await removeFolder(dataDir);
});

it('a lost key is replaced by a new one', async () => {
  const { value } = documentOf<{ value: string }>(await slipway('keys', 'create', 'another', '--json'));
  await expect.poll(() => chat(`${baseUrl}/local/demo/v1`, value).catch(() => ''), { timeout: 30_000 }).toMatch(/\w/);
});

it('a revoke reports the propagation to the gateway', async () => {
  const { value } = documentOf<{ value: string }>(await slipway('keys', 'create', 'short', '--json'));
  // Asked again where the gateway was too busy to confirm in time.
  const revoke = async (): Promise<boolean> =>
    documentOf<{ propagated: boolean }>(await slipway('keys', 'revoke', 'short', '--json')).propagated;
  await expect.poll(revoke, { timeout: 30_000 }).toBe(true);
  const headers = { authorization: `Bearer ${value}`, 'content-type': 'application/json' };
  const response = await fetch(`${baseUrl}/local/demo/v1/chat/completions`, { method: 'POST', headers, body: '{}' });
  await response.body?.cancel();
  expect(response.status).toBe(401);
});

it('deployments stop and resume on a real worker', async () => {
  expect(await slipway('deployments', 'stop', 'demo', '--wait')).toMatchObject({ code: 0, stdout: 'deployment-1 is stopped.\n' });
  expect(await slipway('deployments', 'resume', 'demo', '--wait')).toMatchObject({ code: 0, stdout: 'deployment-1 is ready.\n' });
  expect(documentOf(await slipway('deployments', 'log', 'local/demo', '--json'))).toMatchObject({ deployment: 'deployment-1', silent: [] });
});

it('every kind of process answers its operator', async () => {
  const { processes } = documentOf<{ processes: { role: string; wk: string }[] }>(await slipway('status', '--json'));
  expect(new Set(processes.map(({ role }) => role))).toEqual(
    new Set(['gateway', 'agent', 'keys', 'deployments', 'tuning', 'console', 'trainer']),
  );
  const workers = documentOf<{ connected: { wk: string }[] }>(await slipway('workers', 'list', '--json')).connected;
  expect(processes).toEqual(expect.arrayContaining(workers.map(({ wk }) => expect.objectContaining({ role: 'agent', wk }) as object)));
  const secrets = await secretsOf(dataDir);
  expect(secrets.length).toBeGreaterThan(2);
  for (const { wk } of processes) {
    const run = await slipway('config', wk, '--json');
    expect(documentOf(run)).toMatchObject({ processes: [{ wk, log: { level: 'info', until: null } }], silent: [] });
    for (const secret of secrets) expect(run.stdout).not.toContain(secret);
    expect(documentOf(await slipway('log-level', wk, 'debug', '--for', '1m', '--json'))).toMatchObject({ processes: [{ level: 'debug' }] });
    expect(documentOf(await slipway('log-level', wk, 'reset', '--json'))).toMatchObject({ processes: [{ level: 'info', until: null }] });
  }
});

it('the address file is private and without secrets', async () => {
  const note = join(dataDir, 'run/control.json');
  expect((await stat(note)).mode & 0o077).toBe(0);
  expect(Object.keys(JSON.parse(await readFile(note, 'utf8')) as object).toSorted()).toEqual([
    'console_url',
    'credentials_dir',
    'environment',
    'nats_url',
  ]);
  launcher.child.kill('SIGTERM');
  expect(await launcher.ended()).toBe(0);
  const run = await slipway('keys', 'list');
  expect([run.code, run.stderr]).toEqual([1, `✗ Slipway is not running on ${dataDir}: start it with npm start. (not_running)\n`]);
});
