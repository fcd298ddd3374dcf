import type { UsageRow } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { ConsoleError } from '../api/console-error.js';
import { DURATION, ERRORS, REQUESTS, TTFT, written } from './figures.js';
import { keyNames, outcomeOf, partName } from './group-names.js';
import { PARTS_MAX, partsOf, splitSeries } from './parts.js';
import { readUsage } from './read-usage.js';
import { refusalsOf } from './refusals.js';
import { chartOf } from './usage-chart.js';
import { cell, usageCsv, usageJson } from './usage-file.js';
import { chosenFilters, drilledDown, filtersOf } from './usage-filters.js';
import { everyStep, lastRange, rangeBefore, sumOf } from './usage-range.js';
import { deltaOf } from './usage-stats.js';

const NOW = Date.parse('2026-11-21T12:34:56Z');
const sums = (requests: number): UsageRow => ({
  from: '2026-11-21T11:00:00.000Z',
  requests,
  errors: 1,
  prompt_tokens: 10,
  cached_tokens: 2,
  completion_tokens: 5,
});

describe('a range', () => {
  it('is made of whole steps and contains the one that runs', () => {
    expect(lastRange('24h', NOW)).toEqual({ from: '2026-11-20T13:00:00.000Z', to: '2026-11-21T13:00:00.000Z', step: 'hour' });
    expect(lastRange('7d', NOW)).toEqual({ from: '2026-11-15T00:00:00.000Z', to: '2026-11-22T00:00:00.000Z', step: 'day' });
  });

  it('shows the steps in which nothing happened too', () => {
    const steps = everyStep(lastRange('24h', NOW), [sums(3)]);
    expect(steps).toHaveLength(24);
    expect(steps.map(({ requests }) => requests).filter((count) => count > 0)).toEqual([3]);
    expect(steps.find(({ requests }) => requests === 3)?.from).toBe('2026-11-21T11:00:00.000Z');
  });

  it('loses nothing of the ledger in its totals', () => {
    expect(sumOf([sums(3), sums(4)])).toEqual({ requests: 7, errors: 2, prompt_tokens: 20, cached_tokens: 4, completion_tokens: 10 });
  });
});

describe('a chart', () => {
  const range = lastRange('24h', NOW);
  const latency = { ttft_ms: { p50: 100, p95: 900, p99: 990 } };
  const of = (name: string, requests: number): UsageRow & { name: string } => ({ ...sums(requests), name, latency });
  const many = Array.from({ length: 9 }, (_, index) => of(`part ${index}`, index + 1));
  const nameOf = (row: object): string => (row as { name: string }).name;

  it('shows what was measured, and a gap where nothing was', () => {
    const state = { view: 'speed', measure: 'ttft', by: 'none' } as const;
    const { series, steps } = chartOf({ state, range, rows: [of('x', 3)], before: null, nameOf });
    const at = steps.findIndex(({ requests }) => requests > 0);
    expect(series.map(({ values }) => [values[at], values[at - 1]])).toEqual([
      [100, null],
      [900, null],
      [990, null],
    ]);
  });

  it('has parts that add up to the whole, however many they are', () => {
    const whole = everyStep(range, many).map(({ requests }) => requests);
    const { series, left } = splitSeries(REQUESTS, range, many, nameOf);
    expect([series.length, left, series[0]?.label, series.at(-1)?.label]).toEqual([PARTS_MAX + 1, 0, 'part 8', '3 others']);
    expect(whole.map((_, index) => series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0))).toEqual(whole);
  });

  it('says how many parts it leaves out where they do not add up', () => {
    const { series, left } = splitSeries(TTFT, range, many, nameOf);
    expect([series.length, left, series[0]?.label]).toEqual([PARTS_MAX, 3, 'part 8']);
  });

  it('says of every figure what it is, with a dash for unknown ones', () => {
    for (const figure of [REQUESTS, TTFT, DURATION]) expect(written(figure, null)).toBe('–');
    expect([written(ERRORS, 1_234), written(TTFT, 98.7), written(DURATION, 3_164)]).toEqual(['1,234', '99 ms', '3.2 s']);
  });
});

describe('a table of parts', () => {
  it('has one row for each name, and no percentile of several rows', () => {
    const latency = { ttft_ms: { p50: 1, p95: 2, p99: 3 } };
    const rows = [1, 2, 3].map((key) => ({ ...sums(key), key, latency }) as UsageRow);
    const parts = partsOf(rows, ({ key }) => (key === 1 ? 'one' : 'Playground'));
    expect(parts.map(({ name, requests, latency: known }) => [name, requests, known])).toEqual([
      ['Playground', 5, undefined],
      ['one', 1, latency],
    ]);
  });
});

describe('the rows of a file', () => {
  const DAY = 86_400_000;
  const from = Date.parse('2026-01-01T00:00:00Z');
  const to = new Date(from + 90 * DAY).toISOString();
  const question = { from: new Date(from).toISOString(), to, step: 'day' as const, group_by: [] };
  const askWith =
    (most: number) =>
    (asked: { from: string; to: string }): Promise<{ rows: UsageRow[]; as_of: string }> => {
      const days = Array.from({ length: Math.round((Date.parse(asked.to) - Date.parse(asked.from)) / DAY) }, (_, day) => ({
        ...sums(1),
        from: new Date(Date.parse(asked.from) + day * DAY).toISOString(),
      }));
      if (days.length > most) return Promise.reject(new ConsoleError('invalid_request', 'Too much.', 'step'));
      return Promise.resolve({ rows: days, as_of: asked.to });
    };

  it('are all there, in order and once, though one answer does not hold them', async () => {
    const { rows: whole } = await readUsage(askWith(1_000), question);
    expect(whole).toHaveLength(90);
    for (const most of [45, 7, 1]) expect((await readUsage(askWith(most), question)).rows).toEqual(whole);
  });

  it('are refused where one day is too much', async () => {
    await expect(readUsage(askWith(0), question)).rejects.toMatchObject({ param: 'step' });
  });
});

describe('the file for spreadsheets', () => {
  it.each([
    ['=1+1', "'=1+1"],
    ['+x', "'+x"],
    ['-x', "'-x"],
    ['@x', "'@x"],
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\nlines', '"two\nlines"'],
    [-3, '-3'],
  ])('writes %s as %s', (value, text) => {
    expect(cell(value)).toBe(text);
  });

  const row = { ...sums(2), key: 4, latency: { ttft_ms: { p50: 1, p95: 2, p99: 3 } } } as UsageRow;
  const file = {
    range: lastRange('24h', NOW),
    ...{ filters: { status: 'completed' }, by: 'key' as const, rows: [row], asOf: '2026-11-21T12:34:56.000Z' },
    nameOf: () => '=my key',
  };

  it('has the steps, grouping and latency that are shown', () => {
    const [head, line, rest] = usageCsv(file).split('\r\n');
    expect(head).toMatch(
      /^from,key,name,requests,errors,prompt_tokens,cached_tokens,completion_tokens,ttft_ms_p50,ttft_ms_p95,ttft_ms_p99,/,
    );
    expect(line).toMatch(/^2026-11-21T11:00:00.000Z,4,'=my key,2,1,10,2,5,1,2,3,,,/);
    expect(rest).toBe('');
    expect(usageCsv({ ...file, by: 'none', rows: [] })).toMatch(/^from,requests,[a-z0-9_,]+\r\n$/);
  });

  it('names as JSON what it was asked for', () => {
    expect(JSON.parse(usageJson(file))).toMatchObject({
      ...{ from: '2026-11-20T13:00:00.000Z', to: '2026-11-21T13:00:00.000Z', step: 'hour', group_by: 'key' },
      filters: { status: 'completed' },
      rows: [{ key: 4, name: '=my key', requests: 2, ttft_ms_p95: 2, duration_ms_p50: null }],
    });
  });
});

describe('filters', () => {
  const none = { deployment: [], key: [], alias: [], api: [], status: [], member: [] };
  const keysOf = (member: string): readonly number[] => (member === 'ada@example.com' ? [7, 3] : []);

  it('become what the ledger is asked by', () => {
    expect(filtersOf(none, keysOf)).toEqual({});
    const chosen = { ...none, deployment: ['5'], key: ['3', 'x'], status: ['rate_limit_exceeded'] };
    expect(filtersOf(chosen, keysOf)).toEqual({ deployment: 5, keys: [3], status: 'rate_limit_exceeded' });
  });

  it('of a member mean the keys that they created', () => {
    expect(filtersOf({ ...none, member: ['ada@example.com'] }, keysOf)).toEqual({ keys: [7, 3] });
    expect(filtersOf({ ...none, member: ['ada@example.com'], key: ['3', '9'] }, keysOf)).toEqual({ keys: [3] });
    expect(filtersOf({ ...none, member: ['bob@example.com'] }, keysOf)).toBeNull();
  });

  it('hold one value where the ledger takes one', () => {
    const chosen = chosenFilters({ deployment: ['1', '2'], key: ['3', '4'] });
    expect([chosen.deployment, chosen.key, chosen.alias]).toEqual([['2'], ['3', '4'], []]);
  });

  it('are set by a part of a split, which is then split again', () => {
    expect(drilledDown('key', ['3', '4'])).toEqual({ key: ['3', '4'], by: 'deployment' });
    expect(drilledDown('deployment', ['5'])).toEqual({ deployment: ['5'], by: 'key' });
  });
});

describe('the chart of the screen', () => {
  const range = lastRange('24h', NOW);
  const rows = [{ ...sums(3), key: 1 } as UsageRow, { ...sums(5), key: 2 } as UsageRow];
  const names = { keys: new Map([[1, 'one']]), deployments: new Map<number, string>() };
  const source = { range, rows, before: null, nameOf: (row: Partial<UsageRow>) => partName(names, row, 'key') };
  const sumsOfSeries = (series: readonly { readonly values: readonly (number | null)[] }[]): number[] =>
    series.map(({ values }) => values.reduce<number>((sum, value) => sum + (value ?? 0), 0));

  it('stacks the parts of a sum, which add up to the whole', () => {
    const split = chartOf({ ...source, state: { view: 'requests', measure: 'ttft', by: 'key' } });
    expect([split.kind, split.series.map(({ label }) => label)]).toEqual(['bars', ['Key 2', 'one']]);
    expect(sumsOfSeries(split.series)).toEqual([5, 3]);
    const whole = chartOf({ ...source, state: { view: 'tokens', measure: 'ttft', by: 'none' } });
    expect(sumsOfSeries(whole.series)).toEqual([16, 4, 10]);
  });

  it('draws percentiles as lines beside the median of before', () => {
    const before = { range: rangeBefore(range), rows: [] };
    const chart = chartOf({ ...source, before, state: { view: 'speed', measure: 'duration', by: 'none' } });
    expect([chart.kind, chart.series.map(({ label }) => label)]).toEqual(['lines', ['Duration p50', 'Duration p95', 'Duration p99']]);
    expect(chart.before?.values).toHaveLength(24);
  });
});

describe('refusals', () => {
  it('are counted by key and code, with their share', () => {
    const end = (key: number, status: string, requests: number): UsageRow => ({ ...sums(requests), key, status }) as UsageRow;
    const rows = [end(1, 'completed', 6), end(1, 'rate_limit_exceeded', 24), end(2, 'model_not_found', 2), end(2, 'cancelled', 2)];
    const found = refusalsOf(rows, ({ key }) => `key ${key}`);
    expect(found.map(({ key, code, requests, share }) => [key, code, requests, share])).toEqual([
      ['key 1', 'rate_limit_exceeded', 24, 0.8],
      ['key 2', 'model_not_found', 2, 0.5],
    ]);
    expect(outcomeOf('rate_limit_exceeded')).toBe('Rate limit exceeded (429)');
  });
});

describe('names and changes', () => {
  it('distinguish keys of one name', () => {
    const names = keyNames(
      [
        { id: 1, name: 'web' },
        { id: 2, name: 'web' },
        { id: 3, name: 'job' },
      ] as never,
      [9],
    );
    expect([...names.values()]).toEqual(['web (key 1)', 'web (key 2)', 'job', 'Playground']);
  });

  it('compare with before only what is known', () => {
    expect(deltaOf(12, 10, 'more')?.share).toBeCloseTo(0.2);
    expect([deltaOf(1, 0, 'more')?.share, deltaOf(0, 0, 'less')?.share, deltaOf(null, 3, 'less')]).toEqual([null, 0, undefined]);
  });
});
