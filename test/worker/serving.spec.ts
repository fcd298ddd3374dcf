import { afterAll, beforeAll, expect, it } from 'vitest';
import { anItem } from './an-item.js';
import { type Agent, WorkerRig } from './rig.js';
import { until } from './until.js';

// What becomes of revisions while they serve is under verify.
let rig: WorkerRig;
let agent: Agent;

beforeAll(async () => {
  rig = await new WorkerRig().open();
  agent = await rig.startAgent();
});
afterAll(() => rig.close());

/** What the worker answered to completion in this file. */
const sum = { streams: 0, tokens: 0 };

async function answer(...request: Parameters<WorkerRig['ask']>): ReturnType<WorkerRig['ask']>['done'] {
  const run = await rig.ask(...request).done;
  sum.streams += 1;
  sum.tokens += run.end.usage.completion;
  return run;
}

it('an assigned model answers from its own process', async () => {
  rig.assign(agent, [anItem(5)]);
  const load = await rig.ready(agent, 5);
  expect(load).toMatchObject({ rev: 1, state: 'ready', progress: null, reason: null, detail: null });
  expect(load.pid).not.toBe(agent.pid);
  expect(load.context).toBeGreaterThan(256);

  const { text, end } = await answer(5, 'Hello');

  expect(text).toMatch(/[A-Za-z]{3,} [a-z]{2,}/);
  expect(end).toMatchObject({ k: 'end', fin: 'done' });
  expect(end.usage.completion).toBeGreaterThan(2);
  expect(end.tm.total).toBeGreaterThanOrEqual(end.tm.queue + end.tm.prefill);
});

it('a second turn finds the first one cached', async () => {
  const question = { role: 'user' as const, content: [{ type: 'text' as const, text: 'Tell me a story.' }] };
  const first = await answer(5, '', { messages: [question] });
  const told = { role: 'assistant' as const, content: [{ type: 'text' as const, text: first.text }] };
  const next = { role: 'user' as const, content: [{ type: 'text' as const, text: 'Thank you!' }] };
  const second = await answer(5, '', { messages: [question, told, next] });
  expect(second.end.usage.cached).toBeGreaterThan(first.end.usage.prompt);
});

it('starts of other revisions are refused, counts are exact', async () => {
  const [runner] = rig.runnersOf(5);
  await expect(rig.ask(5, 'Hello', { rev: 2, worker: runner!.wk }).done).rejects.toMatchObject({
    code: 'overloaded',
    message: 'No runner.',
  });
  const [counted, answered] = [await rig.ask(5, 'Hello', { api: 'count' }).done, await answer(5, 'Hello')];
  expect([counted.text, counted.end.usage]).toEqual(['', { prompt: answered.end.usage.prompt, cached: 0, completion: 0 }]);
});

it('a cancelled prefill frees its slot within 500 ms', async () => {
  const long = (nth: number) => `${nth}. Tell me about the weather. ${'It rains in the mountains, day and night. '.repeat(75)}`;
  rig.assign(agent, [anItem(20, { slots: 1 })]);
  await rig.ready(agent, 20);
  const load = () => rig.runnersOf(20)[0];
  const whole = (await answer(20, long(0), { maxTokens: 1 })).end;

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
  const run = await answer(20, 'Say something about Xylophones', { maxTokens: 5 });
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
  await expect.poll(() => value('slipway_worker_tokens_total{kind="completion"'), { timeout: 10_000 }).toBeGreaterThanOrEqual(sum.tokens);
  await expect.poll(() => value('slipway_worker_streams_total{outcome="cancelled"'), { timeout: 10_000 }).toBeGreaterThan(0);
  expect(await value('slipway_worker_streams_total{outcome="done"')).toBeGreaterThanOrEqual(sum.streams);
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
