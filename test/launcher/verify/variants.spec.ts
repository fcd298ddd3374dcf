import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ScriptedUpstream, chatStream } from '@slipway/testing';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { Launcher, REPOSITORY, type Ready, chat, eventually, freePort, processesOf, removeFolder, temporaryFolder } from '../launcher.js';

// One data directory, so that each start meets what the ones before it left.
let folder: string;
let dataDir: string;
let port: string;
let key = '';
let launcher: Launcher | undefined;
let upstream: ScriptedUpstream;

beforeAll(async () => {
  folder = await temporaryFolder();
  dataDir = join(folder, 'data dir');
  await mkdir(dataDir);
  port = String(await freePort());
  upstream = await ScriptedUpstream.start(() => chatStream(['from ', 'upstream']));
});

afterEach(() => launcher?.stop());

afterAll(async () => {
  await upstream.stop();
  for (const line of processesOf(dataDir)) process.kill(Number(line.split(' ')[0]), 'SIGKILL');
  await removeFolder(folder);
});

async function start(args: string[] = [], environment: NodeJS.ProcessEnv = {}): Promise<Ready> {
  await launcher?.stop();
  launcher = new Launcher(['--json', '--data-dir', dataDir, '--port', port, ...args], { environment });
  const ready = await launcher.ready();
  key = ready.key ?? key;
  return ready;
}

const aliasUrl = (base = `http://127.0.0.1:${port}`): string => `${base}/local/demo/v1`;

it('three workers and two gateways all serve', async () => {
  const ready = await start(['--workers', '3', '--gateways', '2']);
  const names = ready.processes.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(['worker-1', 'worker-2', 'worker-3', 'gateway-1', 'gateway-2', 'runner-1-1', 'runner-1-2', 'runner-1-3']),
  );
  expect(ready.gateways).toHaveLength(2);
  expect(Number(new URL(ready.gateways[1]!).port)).toBeGreaterThan(Number(port) + 1);
  for (const gateway of ready.gateways) expect(await chat(aliasUrl(gateway), key)).toMatch(/\w/);
});

it('one worker serves the same deployment again', async () => {
  const ready = await start();
  expect(ready).toMatchObject({ deployment: 'deployment-1', key: null });
  expect(await chat(aliasUrl(), key)).toMatch(/\w/);
});

it('--model creates a deployment once and moves demo', async () => {
  const file = join(folder, 'my own.gguf');
  await copyFile(join(REPOSITORY, 'models/svc-tiny.Q8_0.gguf'), file);
  expect((await start(['--model', file])).deployment).toBe('deployment-2');
  expect(await chat(aliasUrl(), key)).toMatch(/\w/);
  expect((await start(['--model', file])).deployment).toBe('deployment-2');
  expect((await start()).deployment).toBe('deployment-1');
  expect(await chat(`http://127.0.0.1:${port}/deployment-2/v1`, key)).toMatch(/\w/);
});

it('--upstream creates one deployment per key', async () => {
  const args = ['--upstream', upstream.url, '--upstream-model', 'scripted', '--upstream-key-env', 'THEIR_KEY'];
  const first = await start(args, { THEIR_KEY: 'sk-first-secret' });
  expect(await chat(aliasUrl(), key)).toBe('from upstream');
  expect(upstream.requests.findLast(({ method }) => method === 'POST')?.headers['authorization']).toBe('Bearer sk-first-secret');
  expect((await start(args, { THEIR_KEY: 'sk-first-secret' })).deployment).toBe(first.deployment);
  const other = await start(args, { THEIR_KEY: 'sk-other-secret' });
  expect(other.deployment).not.toBe(first.deployment);
  expect(await chat(aliasUrl(), key)).toBe('from upstream');
  expect(upstream.requests.findLast(({ method }) => method === 'POST')?.headers['authorization']).toBe('Bearer sk-other-secret');
});

it('an unloadable model ends the start with reason', async () => {
  const broken = join(folder, 'broken.gguf');
  await writeFile(broken, `GGUF${'\0'.repeat(2_000)}`);
  launcher = new Launcher(['--data-dir', dataDir, '--port', port, '--model', broken]);
  expect(await launcher.ended(60_000)).toBe(1);
  expect(launcher.stderr.trim().split('\n').at(-1)).toMatch(/^✗ deployment-\d+ does not become ready \(failed, .*\)\.$/);
  expect(processesOf(dataDir)).toEqual([]);
});

it('frozen processes delay a stop at most 10 s', async () => {
  const { processes } = await start();
  for (const { pid } of processes) process.kill(pid, 'SIGSTOP');
  const since = Date.now();
  launcher!.child.kill('SIGINT');
  expect(await launcher!.ended()).toBe(0);
  expect(Date.now() - since).toBeLessThan(10_000);
  expect(processesOf(dataDir)).toEqual([]);
});

it('a second Ctrl-C kills what is left', async () => {
  const { processes } = await start();
  for (const { name, pid } of processes) if (name.startsWith('gateway')) process.kill(pid, 'SIGSTOP');
  launcher!.child.kill('SIGINT');
  launcher!.child.kill('SIGTERM');
  expect(await launcher!.ended(3_000)).toBe(130);
  expect(processesOf(dataDir)).toEqual([]);
});

it('Ctrl-C during a start leaves nothing running', async () => {
  launcher = new Launcher(['--data-dir', dataDir, '--port', port]);
  await eventually(() => launcher!.stderr.includes('Starting NATS'), 120_000);
  launcher.child.kill('SIGINT');
  expect(await launcher.ended()).toBe(0);
  expect(launcher.stdout).toBe('');
  expect(processesOf(dataDir)).toEqual([]);
});
