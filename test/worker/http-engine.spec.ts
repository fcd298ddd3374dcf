import { AccountId } from '@slipway/contracts';
import { type RunningService, startService } from '@slipway/platform/service';
import { chatChunk, chatStream, jsonAnswer, ScriptedUpstream } from '@slipway/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { inferenceWorker } from '../../apps/inference-worker/src/inference-worker.js';
import { anItem } from './an-item.js';
import { type Agent, WorkerRig } from './rig.js';
import { until } from './until.js';

let rig: WorkerRig;
let upstream: ScriptedUpstream;
let worker: RunningService;
let agent: Pick<Agent, 'wk'>;

async function startAgent(settings: Readonly<Record<string, string>> = {}): Promise<void> {
  worker = await startService(inferenceWorker, {
    SLIPWAY_ENV: 'test',
    NATS_URL: rig.bus.url,
    NATS_CREDENTIALS_DIR: rig.bus.credentialsDir,
    LOG_LEVEL: 'silent',
    MODEL_CACHE_DIR: `${rig.folder}/cache`,
    ENGINE_HOSTS: new URL(upstream.url).host,
    ...settings,
  });
  agent = await until('the first heartbeat', () => rig.beats.at(0));
}

const served = (dep: number, url = upstream.url) =>
  anItem(dep, { source: { kind: 'http', url, model: 'scripted' }, slots: 2, credential: 'sk-upstream-secret' });

beforeEach(async () => {
  rig = await new WorkerRig().open();
  upstream = await ScriptedUpstream.start(() => chatStream(['It is ', 'a fine ', 'day.']));
  await startAgent();
});
afterEach(async () => {
  await worker.stop(0);
  await upstream.stop();
  await rig.close();
});

it('requests and counts of 50,000 messages are answered', async () => {
  rig.assign(agent, [served(9)]);
  await rig.ready(agent, 9);
  const messages = Array.from({ length: 50_000 }, (_, i) => ({
    role: 'user' as const,
    content: [{ type: 'text' as const, text: `m${i}` }],
  }));
  expect((await rig.ask(9, '', { messages, maxTokens: 5 }).done).text).toBe('It is a fine day.');
  const [chat] = upstream.chats;
  expect(chat).toMatchObject({ max_tokens: 5 });
  expect(chat?.['messages']).toHaveLength(50_000);
  // Read, and estimated by its own length: this engine does not count.
  const { end } = await rig.ask(9, '', { messages, api: 'count' }).done;
  expect(end.usage).toEqual({ prompt: 72_223, cached: 0, completion: 0, estimated: true });
});

it('an HTTP engine gets the assignment’s credential', async () => {
  rig.assign(agent, [served(7)]);
  const load = await rig.ready(agent, 7);
  expect(load).toMatchObject({ pid: process.pid, reason: null });

  const { text, end } = await rig.ask(7, 'Hello').done;

  expect(text).toBe('It is a fine day.');
  expect(end.usage).toMatchObject({ prompt: 7, completion: 3 });
  expect(upstream.requests.find(({ method }) => method === 'POST')?.headers['authorization']).toBe('Bearer sk-upstream-secret');
  expect(JSON.stringify(rig.beats)).not.toContain('sk-upstream-secret');
});

it('an account named later keeps the runner', async () => {
  rig.assign(agent, [served(7)]);
  await rig.ready(agent, 7);
  const [before] = rig.runnersOf(7);
  rig.assign(agent, [{ ...served(7), account: AccountId.parse(3) }, served(8)]);
  await rig.ready(agent, 8);
  expect(rig.beats.at(-1)?.loads.map(({ dep, state }) => [dep, state])).toEqual([
    [7, 'ready'],
    [8, 'ready'],
  ]);
  expect(rig.runnersOf(7).map(({ wk }) => wk)).toEqual([before?.wk]);
});

it('a start that waits for a slot in vain is placed anew', async () => {
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  upstream.answer = () => ({
    steps: [chatChunk({ role: 'assistant', content: 'Wait' }), { until: held }, chatChunk({ content: '!' }, 'stop')],
  });
  rig.assign(agent, [served(7)]);
  await rig.ready(agent, 7);
  const runs = Array.from({ length: 3 }, () => rig.ask(7, 'Hello'));
  await until('one waits', () => rig.runnersOf(7).some(({ used, queued }) => used === 2 && queued === 1));
  await until('it comes back', () => runs.some((run) => run.attempts() === 2));

  release();
  for (const run of runs) expect((await run.done).text).toBe('Wait!');
  await until('all slots are free', () => rig.runnersOf(7).some(({ used, queued }) => used === 0 && queued === 0));
});

it('cancelling closes the connection to the upstream', async () => {
  upstream.answer = () => ({ steps: [chatChunk({ role: 'assistant', content: 'Once' }), { hang: true }] });
  rig.assign(agent, [served(7)]);
  await rig.ready(agent, 7);
  const run = rig.ask(7, 'Hello');
  await until('the first word', () => run.text() === 'Once');
  await run.stream.cancel('test');
  await until('the upstream is left alone', () => upstream.live === 0 && upstream.abandoned === 1);
});

it('upstreams on hosts not allowed are never asked', async () => {
  const foreign = await ScriptedUpstream.start(() => chatStream(['no']));
  try {
    rig.assign(agent, [served(8, foreign.url)]);
    const load = await until('it has failed', () => rig.beats.at(-1)?.loads.find(({ state }) => state === 'failed'));
    expect(load).toMatchObject({ dep: 8, reason: 'engine_refused', detail: expect.stringContaining('allowed engine hosts') });
    expect(foreign.requests).toEqual([]);
  } finally {
    await foreign.stop();
  }
});

it('an absent upstream is reported, then served', async () => {
  upstream.gets.set('/v1/models', jsonAnswer(503, { error: { message: 'Loading' } }));
  rig.assign(agent, [served(9)]);
  const load = await until('it has failed', () => rig.beats.at(-1)?.loads.find(({ state }) => state === 'failed'));
  expect(load.reason).toBe('engine_unreachable');
  upstream.gets.delete('/v1/models');
  await rig.ready(agent, 9);
  expect((await rig.ask(9, 'Hello').done).text).toBe('It is a fine day.');
});

it('a dead upstream is reported and serves nothing', async () => {
  rig.assign(agent, [served(10)]);
  await rig.ready(agent, 10);
  await upstream.stop();
  const load = await until('it has failed', () => rig.beats.at(-1)?.loads.find(({ state }) => state === 'failed'), 40_000);
  expect(load.reason).toBe('engine_unreachable');
  // The agent and what it serves send heartbeats of their own.
  await until('nothing serves it', () => rig.runnersOf(10).every(({ state }) => state === 'draining'));
});

it('malformed assignments change nothing', async () => {
  rig.assign(agent, [served(7)]);
  await rig.ready(agent, 7);
  rig.sendRaw(agent.wk, '{"term": 9, "items": "none"}');
  rig.sendRaw(agent.wk, 'no json');
  const beats = rig.beats.length;
  await until('more heartbeats', () => rig.beats.length > beats + 2);
  expect(rig.loadOf(agent, 7)?.state).toBe('ready');
});
