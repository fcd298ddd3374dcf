import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { anItem } from './an-item.js';
import { isAlive } from '../testing/is-alive.js';
import { type Agent, WorkerRig } from './rig.js';
import { until } from './until.js';

let rig: WorkerRig;
let agent: Agent;

beforeAll(async () => {
  rig = await new WorkerRig().open();
  agent = await rig.startAgent();
});
afterAll(() => rig.close());

const failed = (dep: number, rev: number) =>
  until(`deployment ${dep} has failed`, () => {
    const load = rig.loadOf(agent, dep, rev);
    return load?.state === 'failed' && load;
  });

it('an assigned model answers from its own process', async () => {
  rig.assign(agent, [anItem(5)]);
  const load = await rig.ready(agent, 5);
  expect(load).toMatchObject({ rev: 1, state: 'ready', progress: null, reason: null, detail: null });
  expect(load.pid).not.toBe(agent.pid);
  expect(load.context).toBeGreaterThan(256);

  const { text, end } = await rig.ask(5, 'Hello').done;

  expect(text).toMatch(/[A-Za-z]{3,} [a-z]{2,}/);
  expect(end).toMatchObject({ k: 'end', fin: 'done' });
  expect(end.usage.completion).toBeGreaterThan(2);
  expect(end.tm.total).toBeGreaterThanOrEqual(end.tm.queue + end.tm.prefill);
});

it('a second turn finds the first one cached', async () => {
  const question = { role: 'user' as const, content: [{ type: 'text' as const, text: 'Tell me a story.' }] };
  const first = await rig.ask(5, '', { messages: [question] }).done;
  const answer = { role: 'assistant' as const, content: [{ type: 'text' as const, text: first.text }] };
  const next = { role: 'user' as const, content: [{ type: 'text' as const, text: 'Thank you!' }] };
  const second = await rig.ask(5, '', { messages: [question, answer, next] }).done;
  expect(second.end.usage.cached).toBeGreaterThan(first.end.usage.prompt);
});

it('starts of other revisions are refused, counts are exact', async () => {
  const [runner] = rig.runnersOf(5);
  await expect(rig.ask(5, 'Hello', { rev: 2, worker: runner!.wk }).done).rejects.toMatchObject({
    code: 'overloaded',
    message: 'No runner.',
  });
  const [counted, answered] = [await rig.ask(5, 'Hello', { api: 'count' }).done, await rig.ask(5, 'Hello').done];
  expect([counted.text, counted.end.usage]).toEqual(['', { prompt: answered.end.usage.prompt, cached: 0, completion: 0 }]);
});

it('what is no longer listed is unloaded, nothing else', async () => {
  rig.assign(agent, [anItem(5), anItem(6)]);
  await rig.ready(agent, 6);
  const { pid } = rig.loadOf(agent, 6)!;
  const run = rig.ask(5, 'Hello', { endless: true });
  rig.assign(agent, [anItem(5)]);
  await until('deployment 6 is gone', () => rig.loadOf(agent, 6) === undefined);
  await until('its process has ended', () => !isAlive(pid!));
  expect((await run.done).end.fin).toBe('done');
  expect(rig.loadOf(agent, 5)?.state).toBe('ready');
});

it('a new revision loads while the old one serves', async () => {
  const old = rig.loadOf(agent, 5)!;
  const run = rig.ask(5, 'Hello', { endless: true });
  await until('the first words', () => run.events() > 3);
  rig.assign(agent, [anItem(5, { rev: 2, slots: 1 })]);
  await rig.ready(agent, 5, 2);
  const seen = rig.beats
    .filter(({ loads }) => loads.some(({ rev }) => rev === 2))
    .map(({ loads }) =>
      loads
        .map(({ rev, state }) => `${rev} ${state}`)
        .sort()
        .join(', '),
    );
  expect(seen[0]).toBe('1 ready, 2 loading');
  expect(seen.at(-1)).toMatch(/^(1 draining, )?2 ready$/);
  expect((await run.done).end.fin).toBe('done');
  await until('the old process has ended', () => !isAlive(old.pid!));
  expect((await rig.ask(5, 'Hello', { rev: 2 }).done).text).toMatch(/[a-z]{3}/);
});

it('a broken new revision leaves the old one serving', async () => {
  rig.assign(agent, [anItem(5, { rev: 3, source: { kind: 'file', path: join(rig.folder, 'gone.gguf') } })]);
  expect(await failed(5, 3)).toMatchObject({ rev: 3, reason: 'model_missing' });
  expect(rig.loadOf(agent, 5, 2)?.state).toBe('ready');
  expect((await rig.ask(5, 'Hello', { rev: 2 }).done).end.fin).toBe('done');
});

it('a cancelled prefill frees its slot within 500 ms', async () => {
  const long = (nth: number) => `${nth}. Tell me about the weather. ${'It rains in the mountains, day and night. '.repeat(75)}`;
  rig.assign(agent, [anItem(20, { slots: 1 })]);
  await rig.ready(agent, 20);
  const load = () => rig.runnersOf(20)[0];
  const whole = (await rig.ask(20, long(0), { maxTokens: 1 }).done).end;

  // A cancel that comes too late for the prefill shows nothing, so the next one is tried.
  for (let nth = 1; nth <= 10; nth += 1) {
    const run = rig.ask(20, long(nth));
    await run.accepted;
    const cancelledAt = performance.now();
    const usage = await run.stream.cancel('test');
    await until('the slot is free', () => load()?.used === 0);
    const freedAfter = performance.now() - cancelledAt;
    if (usage === null || usage.completion > 0) continue;
    expect(usage.prompt).toBeLessThan(whole.usage.prompt);
    // A machine that is busy with other things is slower in everything.
    expect(freedAfter).toBeLessThan(Math.max(500, whole.tm.prefill / 2));
    return;
  }
  expect.unreachable('None of ten cancels came before the end of its prefill.');
});

it('metrics and log hold figures and no words', async () => {
  const run = await rig.ask(20, 'Say something about Xylophones', { maxTokens: 5 }).done;
  expect(run.end.usage.completion).toBe(5);
  const value = async (line: string) => {
    const page = await (await fetch(`http://127.0.0.1:${agent.opsPort()}/metrics`)).text();
    return Number(
      page
        .split('\n')
        .find((candidate) => candidate.startsWith(line))
        ?.split(' ')
        .at(-1),
    );
  };
  // Figures of runners arrive within a second.
  await expect.poll(() => value('slipway_worker_tokens_total{kind="completion"'), { timeout: 10_000 }).toBeGreaterThan(1_000);
  await expect.poll(() => value('slipway_worker_streams_total{outcome="cancelled"'), { timeout: 10_000 }).toBeGreaterThan(0);
  expect(await value('slipway_worker_streams_total{outcome="done"')).toBeGreaterThan(5);
  expect(await value('slipway_worker_rejections_total')).toBeGreaterThan(0);
  expect(await value('slipway_worker_deployments{state="ready"')).toBe(1);
  expect(await value('slipway_worker_memory_free_bytes')).toBeGreaterThan(1_000_000);

  // The only stream of this deployment that had five tokens.
  const mine = (line: string): boolean =>
    ['"event":"stream"', '"deployment":20', '"completion_tokens":5,'].every((part) => line.includes(part));
  const line = await until('the line of the stream', () => agent.output().split('\n').find(mine));
  const entry = JSON.parse(line) as Record<string, unknown>;
  expect(entry).toMatchObject({ deployment: 20, rev: 1, outcome: 'done', finish: 'length', completion_tokens: 5, level: 'info' });
  expect(entry['ms']).toBeGreaterThan(0);
  expect(agent.output()).not.toContain('Xylophone');
});
