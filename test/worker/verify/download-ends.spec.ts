import { expect, vi } from 'vitest';
import { isAlive } from '../../testing/is-alive.js';
import { cache, downloaded, downloadTest as it, model, startAgent } from '../download-stage.js';
import { childrenOf, HalfModel } from '../half-model.js';
import { until } from '../until.js';

// Each download is a process, which takes its time to start on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

it.concurrent('a cancelled download ends and leaves nothing', async ({ rig, host }) => {
  host.serve('/slow.gguf', model, { pauseMs: 500 });
  const agent = await startAgent({ rig, host });
  rig.assign(agent, [downloaded(1, host.url('/slow.gguf'))]);
  const child = await until('the download has begun', () => cache(rig).length > 0 && host.requests.length > 0 && childrenOf(agent.pid)[0]);
  rig.assign(agent, []);
  await until('the cache is empty', () => cache(rig).length === 0);
  expect(isAlive(child)).toBe(false);
});

it.concurrent('a killed agent’s download resumes under the next one', async ({ rig, host }) => {
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

it.concurrent('models too large or of unknown length are refused', async ({ rig, host }) => {
  host.answer('/huge.gguf', { 'content-length': String(2 ** 50), 'accept-ranges': 'bytes' });
  host.answer('/endless.gguf', { 'content-type': 'application/octet-stream' }, 'GGUF');
  const agent = await startAgent({ rig, host });
  const paths = ['/huge.gguf', '/endless.gguf', '/model-00001-of-09999.gguf'];
  rig.assign(
    agent,
    paths.map((path, nth) => downloaded(nth + 1, host.url(path))),
  );
  expect((await rig.failed(agent, 1)).detail).toMatch(
    /^There is no room: the model takes 1048576\.00 GiB, and the model cache has [\d.]+ GiB left for it\.$/,
  );
  expect((await rig.failed(agent, 2)).detail).toBe('The server does not say how long the file is.');
  expect((await rig.failed(agent, 3)).detail).toBe('A model may have at most 200 parts.');
  expect(host.requests.filter((request) => request.includes('of-09999'))).toEqual([]);
  rig.assign(agent, []);
  await until('the cache is empty', () => cache(rig).length === 0);
});
