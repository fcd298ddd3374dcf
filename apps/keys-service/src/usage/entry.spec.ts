import { describe, expect, it } from 'vitest';
import { type Entry, entryOf, entryOfOrphan, join } from './entry.js';
import { latencyBuckets, valueOfBucket } from './latency.js';
import { dayChanges, latencyChanges, minuteChanges } from './roll-up.js';

const MINUTE = 1_790_000_040_000;
const record = (fields: object = {}): Entry =>
  entryOf({
    st: 's1',
    at: 1,
    final: true,
    acct: 1,
    key: 2,
    dep: 3,
    rev: 1,
    alias: 'demo',
    api: 'chat',
    stream: true,
    started: MINUTE + 5,
    ttft_ms: 10,
    ms: 100,
    prompt: 7,
    cached: 3,
    completion: 5,
    status: 'completed',
    ...fields,
  } as Parameters<typeof entryOf>[0]);
const orphan = (fields: object = {}): Entry =>
  entryOfOrphan({
    st: 's1',
    at: 1,
    gw: 'gw',
    acct: 1,
    key: 2,
    dep: 3,
    rev: 1,
    api: 'chat',
    started: MINUTE + 9,
    ms: 80,
    prompt: 7,
    cached: 3,
    completion: 4,
    ...fields,
  } as Parameters<typeof entryOfOrphan>[0]);

const permutations = <T>(items: readonly T[]): T[][] =>
  items.length <= 1 ? [[...items]] : items.flatMap((item, i) => permutations(items.toSpliced(i, 1)).map((rest) => [item, ...rest]));

describe('records of one request', () => {
  const story = [
    record({ final: false, status: 'running', ms: 60, completion: 2 }),
    record({ final: false, status: 'running', ms: 80, completion: 4 }),
    record(),
    orphan(),
  ];

  it('lead to the same result in every order, and however often they come', () => {
    for (const order of permutations([...story, story[0]!])) {
      const { started: _, ...joined } = order.reduce(join);
      expect(joined).toMatchObject({ final: true, source: 'gateway', status: 'completed', completion: 5, alias: 'demo', ms: 100 });
    }
  });

  it('never lower a figure', () => {
    expect(join(record({ completion: 9 }), record({ final: false, status: 'running', completion: 4 })).completion).toBe(9);
    expect(join(orphan({ completion: 9 }), record()).completion).toBe(9);
  });

  it('of a worker keep what only the gateway knew', () => {
    const joined = join(record({ final: false, status: 'running', stream: false, completion: 2 }), orphan());
    expect(joined).toMatchObject({ alias: 'demo', streamed: false, final: true, status: 'orphaned', completion: 4, ttftMs: 10 });
  });
});

describe('sums', () => {
  it('move a request from its old status to its new one, and take only the difference', () => {
    const before = record({ final: false, status: 'running', completion: 2 });
    const changes = minuteChanges([{ before, after: record() }]);
    expect(changes.map(({ status, requests, prompt, completion, minute }) => ({ status, requests, prompt, completion, minute }))).toEqual([
      { status: 'running', requests: -1, prompt: -7, completion: -2, minute: MINUTE },
      { status: 'completed', requests: 1, prompt: 7, completion: 5, minute: MINUTE },
    ]);
    expect(dayChanges([{ before, after: record() }])).toMatchObject([{ requests: 0, tokens: 3 }]);
  });

  it('stay as they are when a record says nothing new', () => {
    expect([minuteChanges([{ before: record(), after: record() }]), dayChanges([{ before: record(), after: record() }])]).toEqual([[], []]);
  });

  it('put requests of one minute, key and status into one row', () => {
    const changes = [record(), record({ st: 's2' }), record({ st: 's3', key: 9 })].map((after) => ({ before: null, after }));
    expect(minuteChanges(changes).map(({ key, requests, completion }) => [key, requests, completion])).toEqual([
      [2, 2, 10],
      [9, 1, 5],
    ]);
    expect(dayChanges(changes).map(({ key, requests, tokens }) => [key, requests, tokens])).toEqual([
      [2, 2, 24],
      [9, 1, 12],
    ]);
  });
});

describe('how fast a request was answered', () => {
  const figures = (entry: Entry): Record<string, number> =>
    Object.fromEntries(latencyBuckets(entry).map(([figure, bucket]) => [figure, valueOfBucket(bucket)]));

  it('is told to 5 % from a millisecond to a day', () => {
    for (let ms = 1; ms < 86_400_000; ms = Math.ceil(ms * 1.013)) {
      const told = figures(record({ ttft_ms: ms, ms }));
      for (const value of [told['ttft_ms']!, told['duration_ms']!]) expect(Math.abs(value - ms) / ms).toBeLessThan(0.05);
    }
  });

  it('counts tokens after the first by the time since the first', () => {
    const { tokens_per_second: speed } = figures(record({ ttft_ms: 1_000, ms: 3_000, completion: 101 }));
    expect(speed! / 50).toBeCloseTo(1, 1);
    expect(figures(record({ ms: 0, ttft_ms: 0, completion: 1 }))).toEqual({ ttft_ms: 1, duration_ms: 1 });
  });

  it('is told of completed requests alone, each once', () => {
    const running = record({ final: false, status: 'running', completion: 2 });
    for (const entry of [running, record({ status: 'cancelled' }), record({ status: 'engine_error' }), orphan()]) {
      expect(latencyBuckets(entry)).toEqual([]);
    }
    const changes = latencyChanges([
      { before: running, after: record() },
      { before: null, after: record({ st: 's2' }) },
    ]);
    expect(changes.map(({ figure, requests, minute }) => [figure, requests, minute])).toEqual([
      ['duration_ms', 2, MINUTE],
      ['ttft_ms', 2, MINUTE],
      ['tokens_per_second', 2, MINUTE],
    ]);
    expect(latencyChanges([{ before: record(), after: record() }])).toEqual([]);
  });
});
