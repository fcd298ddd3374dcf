import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { BIG_MODEL, childrenOf, HalfModel, sha256 } from './half-model.js';
import { CERTIFICATE, ModelHost } from './model-host.js';
import { anItem } from './an-item.js';
import { isAlive } from '../testing/is-alive.js';
import { type Agent, MODEL, type WorkerRig } from './rig.js';
import { rigTest } from './rig-test.js';
import { until } from './until.js';

// Each download is a process, which takes its time to start on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

const model = readFileSync(MODEL);
/** Each has a host of its own, too. */
const it = rigTest.extend<{ host: ModelHost }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the fixture's needs from this pattern
  host: async ({}, use) => {
    const host = await ModelHost.start();
    try {
      await use(host);
    } finally {
      await host.stop();
    }
  },
});

interface Scene {
  readonly rig: WorkerRig;
  readonly host: ModelHost;
}

const startAgent = ({ rig, host }: Scene, settings: NodeJS.ProcessEnv = {}): Promise<Agent> =>
  rig.startAgent({ NODE_EXTRA_CA_CERTS: CERTIFICATE, MODEL_HOSTS: `localhost:${host.port}`, MODEL_DIRS: '', ...settings });

const downloaded = (dep: number, uri: string) => anItem(dep, { source: { kind: 'download', uri } });
const cache = (rig: WorkerRig): string[] => readdirSync(join(rig.folder, 'cache'));

const failure = (rig: WorkerRig, agent: Agent, dep: number) =>
  until(`deployment ${dep} has failed`, () => {
    const load = rig.loadOf(agent, dep);
    return load?.state === 'failed' && load;
  });

it.concurrent('a model is fetched over https with its progress shown, served, and not fetched again by another agent', async ({
  rig,
  host,
}) => {
  host.serve('/tiny.gguf', model, { pauseMs: 40 });
  const uri = host.url('/tiny.gguf');
  const agent = await startAgent({ rig, host });
  rig.assign(agent, [downloaded(1, uri), downloaded(2, uri)]);
  await Promise.all([rig.ready(agent, 1), rig.ready(agent, 2)]);

  expect((await rig.ask(1, 'Hello').done).text).toMatch(/[a-z]{3}/);
  const shown = rig.beats
    .map(({ loads }) => loads.find(({ dep }) => dep === 1)?.progress)
    .filter((progress) => typeof progress === 'number');
  expect(shown.some((progress) => progress > 0.1 && progress < 0.9)).toBe(true);
  expect(shown).toEqual(shown.toSorted((a, b) => a - b));
  await until('the agent tells what it has', () => rig.beatOf(agent)?.cached.includes(uri));

  const before = host.requests.length;
  const second = await startAgent({ rig, host });
  expect(rig.beatOf(second)?.cached).toEqual([uri]);
  rig.assign(second, [downloaded(3, uri)]);
  await rig.ready(second, 3);
  expect(host.requests.length).toBe(before);
});

it.concurrent('an hf: URI is fetched from the hub', async ({ rig, host }) => {
  host.serve('/somebody/tiny/resolve/main/tiny.Q8_0.gguf', model);
  const agent = await startAgent({ rig, host }, { HF_ENDPOINT: host.url('/') });
  rig.assign(agent, [downloaded(1, 'hf:somebody/tiny/tiny.Q8_0.gguf')]);
  await rig.ready(agent, 1);
  expect((await rig.ask(1, 'Hello').done).end.fin).toBe('done');
});

it.concurrent('a redirect to an allowed host is followed, one to a foreign host is refused before anybody is asked', async ({
  rig,
  host,
}) => {
  host.redirect('/near', host.url('/tiny.gguf'));
  host.redirect('/far', host.url('/foreign.gguf', '127.0.0.1'));
  host.serve('/tiny.gguf', model);
  host.serve('/foreign.gguf', model);
  const agent = await startAgent({ rig, host });
  rig.assign(agent, [downloaded(1, host.url('/near')), downloaded(2, host.url('/far'))]);
  expect(await failure(rig, agent, 2)).toMatchObject({
    reason: 'download_failed',
    detail: expect.stringMatching(/redirect .*127\.0\.0\.1.* not on the list/),
  });
  await rig.ready(agent, 1);
  expect(host.requests.filter((request) => request.includes('foreign'))).toEqual([]);
});

it.concurrent('an address that is not allowed, not https, or leads nowhere says so, and leaves nothing behind', async ({ rig, host }) => {
  host.serve('/tiny.gguf', model);
  const agent = await startAgent({ rig, host });
  rig.assign(agent, [
    downloaded(1, host.url('/tiny.gguf', '127.0.0.1')),
    downloaded(2, host.url('/tiny.gguf').replace('https:', 'http:')),
    downloaded(3, host.url('/nothing.gguf?signature=secret')),
    downloaded(4, MODEL),
  ]);
  expect(await failure(rig, agent, 1)).toMatchObject({
    reason: 'download_failed',
    detail: expect.stringContaining('not on the list of allowed model hosts'),
  });
  expect((await failure(rig, agent, 2)).detail).toContain('must be named by an https URL or an hf: URI');
  const nowhere = await failure(rig, agent, 3);
  expect(nowhere).toMatchObject({ reason: 'download_failed', detail: expect.stringContaining('404') });
  expect(nowhere.detail).not.toContain('secret');
  expect((await failure(rig, agent, 4)).reason).toBe('download_failed');
  rig.assign(agent, []);
  await until('the cache is empty', () => cache(rig).length === 0);
});

it.concurrent('a download that nobody wants any more ends, and leaves nothing', async ({ rig, host }) => {
  host.serve('/slow.gguf', model, { pauseMs: 500 });
  const agent = await startAgent({ rig, host });
  rig.assign(agent, [downloaded(1, host.url('/slow.gguf'))]);
  const child = await until('the download has begun', () => cache(rig).length > 0 && host.requests.length > 0 && childrenOf(agent.pid)[0]);
  rig.assign(agent, []);
  await until('the cache is empty', () => cache(rig).length === 0);
  expect(isAlive(child)).toBe(false);
});

it.concurrent('a download whose agent is killed goes on where it was under the next one', async ({ rig, host }) => {
  const half = new HalfModel(host, '/big.gguf', { headers: { etag: '"one"' } });
  const agent = await startAgent({ rig, host });
  rig.assign(agent, [downloaded(1, host.url(half.path))]);
  const child = await half.arrived(rig, agent, 1);
  agent.child.kill('SIGKILL');
  await until('the download process has ended', () => !isAlive(child));
  half.open();
  const before = host.ranges.length;
  const next = await startAgent({ rig, host });
  expect(rig.beatOf(next)?.cached).toEqual([]);
  rig.assign(next, [downloaded(1, host.url(half.path))]);
  await rig.ready(next, 1);
  expect(half.resumedSince(before)).toBe(true);
  expect((await rig.ask(1, 'Hello').done).end.fin).toBe('done');
  expect(cache(rig).filter((name) => name.startsWith('.'))).toEqual([]);
});

it.concurrent('a checksum that does not fit is reported, nothing stays, and the file is not fetched over and over', async ({
  rig,
  host,
}) => {
  host.serve('/tiny.gguf', model);
  const uri = host.url('/tiny.gguf');
  const wrong = anItem(1, { source: { kind: 'download', uri, sha256: sha256(BIG_MODEL) } });
  const agent = await startAgent({ rig, host });
  rig.assign(agent, [wrong]);
  expect(await failure(rig, agent, 1)).toMatchObject({
    reason: 'download_failed',
    detail: 'The downloaded file does not have the SHA-256 checksum that it should have.',
  });
  expect(cache(rig)).toEqual([]);
  const asked = host.requests.length;
  await until('it was tried again', () => agent.output().split('"placement.failed"').length > 2);
  expect(host.requests.length).toBe(asked);
  // With the right one it is another file.
  rig.assign(agent, [wrong, anItem(2, { source: { kind: 'download', uri, sha256: sha256(model) } })]);
  await rig.ready(agent, 2);
  expect(rig.loadOf(agent, 1)?.state).toBe('failed');
});

it.concurrent('a model that the disk has no room for, that has no length, or too many parts, is refused before anything is written', async ({
  rig,
  host,
}) => {
  host.answer('/huge.gguf', { 'content-length': String(2 ** 50), 'accept-ranges': 'bytes' });
  host.answer('/endless.gguf', { 'content-type': 'application/octet-stream' }, 'GGUF');
  const agent = await startAgent({ rig, host });
  const paths = ['/huge.gguf', '/endless.gguf', '/model-00001-of-09999.gguf'];
  rig.assign(
    agent,
    paths.map((path, nth) => downloaded(nth + 1, host.url(path))),
  );
  expect((await failure(rig, agent, 1)).detail).toMatch(
    /^There is no room: the model takes 1048576\.00 GiB, and the model cache has [\d.]+ GiB left for it\.$/,
  );
  expect((await failure(rig, agent, 2)).detail).toBe('The server does not say how long the file is.');
  expect((await failure(rig, agent, 3)).detail).toBe('A model may have at most 200 parts.');
  expect(host.requests.filter((request) => request.includes('of-09999'))).toEqual([]);
  rig.assign(agent, []);
  await until('the cache is empty', () => cache(rig).length === 0);
});
