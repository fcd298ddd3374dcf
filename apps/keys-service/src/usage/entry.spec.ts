import { describe, expect, it } from 'vitest';
import { type Entry, entryOf, entryOfOrphan, latencyBuckets, merge, valueOfBucket, wholeCounts } from './entry.js';
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
  const records = [
    record({ final: false, status: 'running', ms: 60, completion: 2 }),
    record({ final: false, status: 'running', ms: 80, completion: 4 }),
    record(),
    orphan(),
  ];

  it('merge to the same result in every order', () => {
    for (const order of permutations([...records, records[0]!])) {
      const { started: _, ...merged } = order.reduce(merge);
      expect(merged).toMatchObject({ final: true, source: 'gateway', status: 'completed', completion: 5, alias: 'demo', ms: 100 });
    }
  });

  it('never lower a count', () => {
    expect(merge(record({ completion: 9 }), record({ final: false, status: 'running', completion: 4 })).completion).toBe(9);
    expect(merge(orphan({ completion: 9 }), record()).completion).toBe(9);
  });

  it('of a worker keep what only gateways know', () => {
    const merged = merge(record({ final: false, status: 'running', stream: false, completion: 2 }), orphan());
    expect(merged).toMatchObject({ alias: 'demo', streamed: false, final: true, status: 'orphaned', completion: 4, ttftMs: 10 });
  });
});

describe('sums', () => {
  it('move a changed request between its two statuses', () => {
    const before = record({ final: false, status: 'running', completion: 2 });
    const changes = minuteChanges([{ before, after: record() }]);
    expect(changes.map(({ status, requests, prompt, completion, minute }) => ({ status, requests, prompt, completion, minute }))).toEqual([
      { status: 'running', requests: -1, prompt: -7, completion: -2, minute: MINUTE },
      { status: 'completed', requests: 1, prompt: 7, completion: 5, minute: MINUTE },
    ]);
    expect(dayChanges([{ before, after: record() }])).toMatchObject([{ requests: 0, tokens: 3 }]);
  });

  it('stay when a record brings nothing new', () => {
    expect([minuteChanges([{ before: record(), after: record() }]), dayChanges([{ before: record(), after: record() }])]).toEqual([[], []]);
  });

  it('have one row per minute, key and status', () => {
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

  it('is stored within 5 % up to a day', () => {
    for (let ms = 1; ms < 86_400_000; ms = Math.ceil(ms * 1.013)) {
      const stored = figures(record({ ttft_ms: ms, ms }));
      for (const value of [stored['ttft_ms']!, stored['duration_ms']!]) expect(Math.abs(value - ms) / ms).toBeLessThan(0.05);
    }
  });

  it('counts tokens per second from the first token', () => {
    const { tokens_per_second: speed } = figures(record({ ttft_ms: 1_000, ms: 3_000, completion: 101 }));
    expect(speed! / 50).toBeCloseTo(1, 1);
    expect(figures(record({ ms: 0, ttft_ms: 0, completion: 1 }))).toEqual({ ttft_ms: 1, duration_ms: 1, answer_tokens: 1 });
  });

  it('is counted once for each completed request', () => {
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
      ['answer_tokens', 2, MINUTE],
      ['ttft_ms', 2, MINUTE],
      ['tokens_per_second', 2, MINUTE],
    ]);
    expect(latencyChanges([{ before: record(), after: record() }])).toEqual([]);
  });
});

describe('an answer that was cut', () => {
  const cut = (entries: readonly Entry[]): number[] =>
    minuteChanges(entries.map((after) => ({ before: null, after }))).map((row) => row.cut);

  it('is counted once it is complete, by its finish reason', () => {
    expect(cut([record({ finish: 'length' }), record({ st: 's2', finish: 'length' }), record({ st: 's3', finish: 'stop' })])).toEqual([2]);
    expect(cut([record()])).toEqual([0]);
    expect(cut([record({ finish: 'length', status: 'cancelled' })])).toEqual([0]);
    const running = record({ final: false, status: 'running', finish: '' });
    const changes = minuteChanges([{ before: running, after: record({ finish: 'length' }) }]);
    expect(changes.map(({ status, requests, cut: number }) => [status, requests, number])).toEqual([
      ['running', -1, 0],
      ['completed', 1, 1],
    ]);
  });

  it('keeps its reason whichever record came first', () => {
    const [before, after] = [record({ final: false, status: 'running', finish: 'length' }), record({ finish: '' })];
    expect([merge(before, after).finish, merge(after, before).finish]).toEqual(['length', 'length']);
  });
});

describe('counts of parts of a request', () => {
  const request = 'a'.repeat(22);
  const part = (st: string, prompt: number, rest: object = {}): Parameters<typeof wholeCounts>[0][number] =>
    ({
      st,
      at: 1,
      gw: 'gw',
      acct: 1,
      key: 2,
      dep: 3,
      rev: 1,
      api: 'embeddings',
      started: MINUTE,
      ms: 10,
      prompt,
      cached: 0,
      completion: 0,
      ...rest,
    }) as never;

  it('are added up under the id of the request', () => {
    const parts = [
      part(`${request}_2`, 5, { ms: 40 }),
      part(request, 7),
      part(`${request}_1`, 6, { estimated: true }),
      part('b'.repeat(22), 9),
    ];
    expect(wholeCounts(parts)).toMatchObject([
      { st: request, prompt: 18, ms: 40, estimated: true },
      { st: 'b'.repeat(22), prompt: 9 },
    ]);
  });

  it('that came twice count once', () => {
    expect(wholeCounts([part(request, 7), part(request, 7, { at: 2 }), part(`${request}_1`, 6)])).toMatchObject([{ prompt: 13 }]);
  });

  it('of other ids are left alone', () => {
    expect(wholeCounts([part('poison_1', 1), part('poison_2', 2)])).toHaveLength(2);
  });
});
