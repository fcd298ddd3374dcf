import { AccountId, DeploymentId, Incarnation, KeyId, ServiceError, Start, type StreamEvent, type Usage } from '@slipway/contracts';
import { type Engine, type EngineOutput, NoSlotError, type TokenCount } from '@slipway/engine';
import { createLogger, newTrace } from '@slipway/platform';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { EndedGeneration } from '../usage/orphan-book.js';
import { Admission } from './admission.js';

/** An engine whose answers the test gives. */
class HandEngine implements Engine {
  readonly kind = 'http';
  readonly counts: ((count: TokenCount) => void)[] = [];
  readonly asked: { output: EngineOutput; signal: AbortSignal; answer: (usage: Usage) => void; fail: (error: unknown) => void }[] = [];

  load = () => Promise.reject(new Error('Not needed.'));
  check = () => Promise.resolve();
  unload = () => Promise.resolve();
  // What it counts comes late, as with an engine that reads the prompt first.
  current = () => ({ running: 0, queued: 0 });

  count = () => new Promise<TokenCount>((answer) => this.counts.push(answer));

  generate(_: unknown, output: EngineOutput, signal: AbortSignal): Promise<Usage> {
    return new Promise((answer, fail) => this.asked.push({ output, signal, answer, fail }));
  }
}

const usage: Usage = { prompt: 5, cached: 2, completion: 3 };
const origin = { gw: Incarnation.parse('gw-1'), account: AccountId.parse(1), key: KeyId.parse(2), claim: null, deadlineMs: 600_000 };
let counted: EndedGeneration[] = [];
const lines: string[] = [];
const log = createLogger('test', 'silent');
let engine: HandEngine;
let admission: Admission;

const aStart = (changes: Record<string, unknown> = {}): Start =>
  Start.message.parse({
    st: 'stream',
    at: 1,
    dep: 7,
    rev: 2,
    api: 'chat',
    req: { messages: [{ role: 'user', content: [{ type: 'text', text: 'a secret prompt' }] }], sampling: {}, stop: [] },
    ...changes,
  });

function run(start = aStart(), signal = new AbortController().signal, deadlineMs = origin.deadlineMs) {
  const generation = admission.admit(start, { ...origin, deadlineMs });
  if (typeof generation === 'string') throw new Error(generation);
  const events: StreamEvent[] = [];
  const result = generation.run({ phase: () => undefined, relaxed: () => undefined, events: (some) => void events.push(...some) }, signal);
  result.catch(() => undefined);
  return { result, events };
}

beforeEach(() => {
  lines.length = 0;
  for (const level of ['info', 'error'] as const)
    vi.spyOn(log, level).mockImplementation((...args) => void lines.push(JSON.stringify(args)));
  engine = new HandEngine();
  counted = [];
  const item = {
    dep: DeploymentId.parse(7),
    rev: 2,
    source: { kind: 'file' as const, path: '/m' },
    context: null,
    slots: 2,
    threads: 1,
    default_max_tokens: null,
  };
  admission = new Admission({
    engine,
    item,
    slots: 2,
    context: null,
    log,
    tracing: { begin: (caller) => caller ?? newTrace(), record: () => undefined },
    loadChanged: () => undefined,
    counted: (ended) => counted.push(ended),
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

it('admits as many again as slots, then answers busy', async () => {
  const taken = [run(), run(), run(), run()];
  expect(admission.load()).toEqual({ state: 'ready', slots: 2, used: 2, queued: 2 });
  expect(admission.admit(aStart(), origin)).toBe('busy');
  engine.asked[0]!.answer(usage);
  await taken[0]!.result;
  expect(admission.load()).toMatchObject({ used: 2, queued: 1 });
  expect(typeof admission.admit(aStart(), origin)).toBe('object');
});

it('refuses other deployments and revisions, and all while draining', () => {
  expect(admission.admit(aStart({ dep: 8 }), origin)).toBe('not_here');
  expect(admission.admit(aStart({ rev: 1 }), origin)).toBe('not_here');
  admission.close();
  expect(admission.admit(aStart(), origin)).toBe('draining');
  expect(admission.load().state).toBe('draining');
});

it('a token count takes no slot and has one event', async () => {
  for (let i = 0; i < 4; i += 1) run();
  expect(admission.admit(aStart(), origin)).toBe('busy');
  const [exact, estimated] = [run(aStart({ api: 'count' })), run(aStart({ api: 'count' }))];
  expect(admission.load()).toMatchObject({ used: 2, queued: 2 });
  engine.counts[0]!({ tokens: 17, exact: true });
  engine.counts[1]!({ tokens: 20, exact: false });
  expect(await exact.result).toMatchObject({ usage: { prompt: 17, cached: 0, completion: 0 } });
  expect(await estimated.result).toMatchObject({ usage: { prompt: 20, cached: 0, completion: 0, estimated: true } });
  expect(exact.events).toEqual([{ k: 'start', prompt: 17 }]);
  expect(admission.figures()).toMatchObject({ done: 0, promptTokens: 0 });
});

it('admits 64 token counts at once, then answers busy', async () => {
  const counts = Array.from({ length: 64 }, () => run(aStart({ api: 'count' })));
  expect(admission.admit(aStart({ api: 'count' }), origin)).toBe('busy');
  expect(typeof admission.admit(aStart(), origin)).toBe('object');
  engine.counts[5]!({ tokens: 1, exact: true });
  await counts[5]!.result;
  expect(typeof admission.admit(aStart({ api: 'count' }), origin)).toBe('object');
});

it('returns a start that got no slot, which counts as nothing', async () => {
  const { result } = run();
  engine.asked[0]!.fail(new NoSlotError('Full.'));
  expect(await result).toBe('busy');
  expect([admission.figures(), counted]).toMatchObject([{ failed: 0, cancelled: 0, done: 0, running: 0 }, []]);
  expect(lines.join()).toContain('"outcome":"busy"');
});

it('passes engine errors on, and logs no text of others', async () => {
  const [known, unknown] = [run(), run()];
  engine.asked[0]!.fail(new ServiceError('context_length_exceeded', 'Too long.', { facts: { tokens: 9 } }));
  engine.asked[1]!.fail(new SyntaxError('Unexpected token in "a secret prompt"'));
  await expect(known.result).rejects.toMatchObject({ code: 'context_length_exceeded', facts: { tokens: 9 } });
  await expect(unknown.result).rejects.toMatchObject({ code: 'engine_error' });
  expect(lines.join()).toContain('SyntaxError');
  expect(lines.join()).not.toContain('secret');
  expect(admission.figures()).toMatchObject({ failed: 2, done: 0, running: 0 });
});

it('a cancelled generation resolves with its usage', async () => {
  const cancel = new AbortController();
  const { result } = run(aStart(), cancel.signal);
  cancel.abort();
  expect(engine.asked[0]!.signal.aborted).toBe(true);
  engine.asked[0]!.answer(usage);
  expect(await result).toMatchObject({ usage });
  expect(admission.figures()).toMatchObject({ cancelled: 1, done: 0, promptTokens: 5, cachedTokens: 2, completionTokens: 3 });
});

it('only the signal of a stream ends a silent engine', async () => {
  vi.useFakeTimers();
  const cancel = new AbortController();
  const [{ result, events }] = [run(aStart(), cancel.signal), run()];

  await vi.advanceTimersByTimeAsync(12 * 3_600_000);
  engine.asked[0]!.output.events([{ k: 'text', x: 'At last', n: 1 }]);

  await vi.advanceTimersByTimeAsync(12 * 3_600_000);
  expect(engine.asked.map(({ signal }) => signal.aborted)).toEqual([false, false]);
  cancel.abort();
  expect(engine.asked[0]!.signal.aborted).toBe(true);
  engine.asked[0]!.answer(usage);
  expect(await result).toMatchObject({ usage });
  engine.asked[0]!.output.events([{ k: 'text', x: ' too late', n: 1 }]);
  expect(events).toEqual([{ k: 'text', x: 'At last', n: 1 }]);
});

it('knows the longest time that a start without output has', async () => {
  expect(admission.firstOutputMs).toBe(0);
  const [short, long] = [2_000, 900_000].map((deadlineMs) => run(aStart(), undefined, deadlineMs));
  expect(admission.firstOutputMs).toBe(900_000);
  engine.asked[1]!.output.events([{ k: 'text', x: 'one', n: 1 }]);
  expect(admission.firstOutputMs).toBe(2_000);
  for (const { answer } of engine.asked) answer(usage);
  await Promise.all([short!.result, long!.result]);
  expect(admission.firstOutputMs).toBe(0);
});

it('an engine that ignores an abort blocks no slot', async () => {
  vi.useFakeTimers();
  const cancel = new AbortController();
  const { result } = run(aStart(), cancel.signal);
  cancel.abort();
  await vi.advanceTimersByTimeAsync(5_001);
  await expect(result).rejects.toMatchObject({ code: 'engine_error' });
  expect(admission.load().used).toBe(0);
});

it('reports each generation once, a failed one by its output', async () => {
  const [done, failed] = [run(), run()];
  engine.asked[0]?.answer(usage);
  engine.asked[1]?.output.events([
    { k: 'start', prompt: 5, cached: 2 },
    { k: 'text', x: 'ab', n: 2 },
  ]);
  engine.asked[1]?.fail(new ServiceError('engine_error', 'It broke.'));
  await Promise.allSettled([done.result, failed.result]);
  expect(counted).toMatchObject([
    { gw: 'gw-1', account: 1, key: 2, usage },
    { gw: 'gw-1', account: 1, key: 2, usage: { prompt: 5, cached: 2, completion: 2, estimated: true } },
  ]);
  expect(JSON.stringify(counted)).not.toContain('a secret prompt');
});
