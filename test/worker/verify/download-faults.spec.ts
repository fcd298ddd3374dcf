import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BIG_MODEL, HalfModel, sha256 } from '../half-model.js';
import { CERTIFICATE, ModelHost } from '../model-host.js';
import { anItem } from '../an-item.js';
import { isAlive } from '../../testing/is-alive.js';
import { type Agent, MODEL, WorkerRig } from '../rig.js';
import { until } from '../until.js';

const model = readFileSync(MODEL);
const ETAG = { headers: { etag: '"one"' } };

let rig: WorkerRig;
let host: ModelHost;

beforeEach(async () => {
  rig = await new WorkerRig().open();
  host = await ModelHost.start();
});
afterEach(async () => {
  await rig.close();
  await host.stop();
});

const startAgent = (settings: NodeJS.ProcessEnv = {}): Promise<Agent> =>
  rig.startAgent({ NODE_EXTRA_CA_CERTS: CERTIFICATE, MODEL_HOSTS: `localhost:${host.port}`, MODEL_DIRS: '', ...settings });

const item = (dep: number, path: string, digest?: string) =>
  anItem(dep, { source: { kind: 'download', uri: host.url(path), ...(digest !== undefined && { sha256: digest }) } });
const cache = (): string[] => readdirSync(join(rig.folder, 'cache'));

describe('a download that breaks off at the half', () => {
  it('resumes after its agent drained', async () => {
    const half = new HalfModel(host, '/big.gguf', { headers: { 'last-modified': 'Sat, 21 Nov 2026 12:00:00 GMT' } });
    const agent = await startAgent();
    rig.assign(agent, [item(1, half.path)]);
    await half.arrived(rig, agent, 1);
    agent.child.kill('SIGTERM');
    expect(await agent.exited).toBe(0);
    half.open();
    const before = host.ranges.length;
    const next = await startAgent();
    rig.assign(next, [item(1, half.path)]);
    await rig.ready(next, 1);
    expect(half.resumedSince(before)).toBe(true);
  });

  it('resumes after cut connections, with monotonic progress', async () => {
    const half = new HalfModel(host, '/big.gguf', ETAG);
    const agent = await startAgent();
    rig.assign(agent, [item(1, half.path, sha256(BIG_MODEL))]);
    await half.arrived(rig, agent, 1);
    const before = host.ranges.length;
    half.cut();
    await until('it has tried again', () => host.ranges.length > before + 2);
    half.mend();
    await rig.ready(agent, 1);
    expect(half.onlySecondHalfSince(before)).toBe(true);
    const shown = rig.beats.flatMap(({ loads }) => loads.map(({ progress }) => progress)).filter((progress) => progress !== null);
    expect(shown).toEqual(shown.toSorted((a, b) => a - b));
  });

  it('is given up when it stalls, and resumed later', async () => {
    const half = new HalfModel(host, '/big.gguf', ETAG);
    const agent = await startAgent({ DOWNLOAD_STALL_MS: '2000' });
    rig.assign(agent, [item(1, half.path)]);
    expect(await rig.failed(agent, 1)).toMatchObject({
      reason: 'download_failed',
      detail: 'No data came from the server for 2 s.',
      progress: null,
    });
    half.open();
    const before = host.ranges.length;
    await rig.ready(agent, 1);
    expect(half.resumedSince(before)).toBe(true);
  });

  it('starts anew after a kill without a checksum', async () => {
    const half = new HalfModel(host, '/big.gguf', ETAG);
    const agent = await startAgent();
    rig.assign(agent, [item(1, half.path)]);
    process.kill(await half.arrived(rig, agent, 1), 'SIGKILL');
    const before = host.ranges.length;
    half.open();
    await rig.ready(agent, 1);
    expect(half.begunAnewSince(before)).toBe(true);
  });

  it('resumes after a kill with a checksum', async () => {
    const half = new HalfModel(host, '/big.gguf', ETAG);
    const agent = await startAgent();
    rig.assign(agent, [item(1, half.path, sha256(BIG_MODEL))]);
    process.kill(await half.arrived(rig, agent, 1), 'SIGKILL');
    const before = host.ranges.length;
    half.open();
    await rig.ready(agent, 1);
    expect(half.resumedSince(before)).toBe(true);
  });

  it('starts anew when the file has changed meanwhile', async () => {
    const half = new HalfModel(host, '/big.gguf', ETAG);
    const agent = await startAgent();
    rig.assign(agent, [item(1, half.path)]);
    const child = await half.arrived(rig, agent, 1);
    agent.child.kill('SIGKILL');
    await until('the download process has ended', () => !isAlive(child));
    host.serve(half.path, BIG_MODEL, { headers: { etag: '"two"' } });
    const before = host.ranges.length;
    const next = await startAgent();
    rig.assign(next, [item(1, half.path)]);
    await rig.ready(next, 1);
    expect(half.begunAnewSince(before)).toBe(true);
  });
});

it('the checksum of a hub’s redirect counts', async () => {
  host.serve('/store/right', model);
  host.serve('/store/wrong', model);
  host.redirect('/user/repo/resolve/main/right.gguf', host.url('/store/right'), { 'x-linked-etag': `"${sha256(model)}"` });
  host.redirect('/user/repo/resolve/main/wrong.gguf', host.url('/store/wrong'), { 'x-linked-etag': `"${sha256(BIG_MODEL)}"` });
  const agent = await startAgent({ HF_ENDPOINT: host.url('/') });
  const hub = (dep: number, file: string) => anItem(dep, { source: { kind: 'download', uri: `hf:user/repo/${file}` } });
  rig.assign(agent, [hub(1, 'right.gguf'), hub(2, 'wrong.gguf')]);
  expect((await rig.failed(agent, 2)).detail).toContain('SHA-256');
  await rig.ready(agent, 1);
  expect(rig.beatOf(agent)?.cached).toEqual(['hf:user/repo/right.gguf']);
});

describe('room', () => {
  it('within the bound comes from removing unused models', async () => {
    for (const path of ['/one.gguf', '/two.gguf', '/three.gguf']) host.serve(path, model);
    const agent = await startAgent({ MODEL_CACHE_BYTES: String(Math.floor(model.length * 2.5)) });
    rig.assign(agent, [item(1, '/one.gguf'), item(2, '/two.gguf')]);
    await Promise.all([rig.ready(agent, 1), rig.ready(agent, 2)]);
    rig.assign(agent, [item(1, '/one.gguf'), item(2, '/two.gguf'), item(3, '/three.gguf')]);
    expect((await rig.failed(agent, 3)).detail).toMatch(
      /^There is no room: the model takes 0.00 GiB, and the model cache has 0.00 GiB left for it/,
    );
    rig.assign(agent, [item(2, '/two.gguf'), item(3, '/three.gguf')]);
    await rig.ready(agent, 3);
    expect(rig.beatOf(agent)?.cached.toSorted()).toEqual([host.url('/three.gguf'), host.url('/two.gguf')]);
    expect(rig.loadOf(agent, 2)?.state).toBe('ready');
  });

  it('that runs out while writing is reported at once', async () => {
    host.serve('/big.gguf', BIG_MODEL);
    const agent = await startAgent();
    // As a full disk would, files of more than 12 MB are refused from here on.
    execFileSync('/usr/bin/prlimit', [`--pid=${agent.pid}`, '--fsize=12000000']);
    rig.assign(agent, [item(1, '/big.gguf')]);
    expect(await rig.failed(agent, 1)).toMatchObject({ reason: 'download_failed', detail: 'The model cache cannot be written (EFBIG).' });
  });
});

it('split models are fetched whole, broken ones twice only', async () => {
  for (const part of [1, 2, 3]) host.serve(`/split-0000${part}-of-00003.gguf`, Buffer.alloc(100_000, part));
  const agent = await startAgent();
  rig.assign(agent, [item(1, '/split-00001-of-00003.gguf')]);
  expect((await rig.failed(agent, 1)).reason).toBe('model_invalid');
  // The same file fails the same way: only another one is worth an attempt.
  await until('the log says so', () => /"again_in_ms":null,"event":"placement.failed"/.test(agent.output()));
  for (const part of [1, 2, 3]) expect(host.ranges.filter(({ path }) => path.includes(`-0000${part}-`)).length).toBe(2);
  expect(cache()).toHaveLength(1);
});
