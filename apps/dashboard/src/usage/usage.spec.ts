import type { UsageRow } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { ConsoleError } from '../api/console-error.js';
import { cell, usageCsv } from './usage-csv.js';
import { DURATION, ERRORS, FIGURES, REQUESTS, seriesOf, TTFT, written } from './figures.js';
import { partsOf } from './parts.js';
import { readUsageByDay } from './read-usage.js';
import { PARTS_MAX, splitSeries } from './split-series.js';
import { customRange, everyStep, rangeOf, sumOf } from './usage-range.js';

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
    expect(rangeOf('24h', NOW)).toEqual({ from: '2026-11-20T13:00:00.000Z', to: '2026-11-21T13:00:00.000Z', step: 'hour' });
    expect(rangeOf('7d', NOW)).toEqual({ from: '2026-11-15T00:00:00.000Z', to: '2026-11-22T00:00:00.000Z', step: 'day' });
  });

  it('shows the steps in which nothing happened too', () => {
    const steps = everyStep(rangeOf('24h', NOW), [sums(3)]);
    expect(steps).toHaveLength(24);
    expect(steps.map(({ requests }) => requests).filter((count) => count > 0)).toEqual([3]);
    expect(steps.find(({ requests }) => requests === 3)?.from).toBe('2026-11-21T11:00:00.000Z');
  });

  it('loses nothing of the ledger in its totals', () => {
    expect(sumOf([sums(3), sums(4)])).toEqual({ requests: 7, errors: 2, prompt_tokens: 20, cached_tokens: 4, completion_tokens: 10 });
  });
});

describe('days that somebody chooses', () => {
  it('are a range of whole days, both included, short ones by the hour', () => {
    expect(customRange('2026-11-20', '2026-11-21')).toEqual({
      from: '2026-11-20T00:00:00.000Z',
      to: '2026-11-22T00:00:00.000Z',
      step: 'hour',
    });
    expect(customRange('2026-11-01', '2026-11-21')).toMatchObject({ step: 'day' });
  });

  it.each([
    ['', '2026-11-21'],
    ['2026-11-21', 'today'],
    ['2026-11-22', '2026-11-21'],
    ['2024-01-01', '2026-11-21'],
  ])('from %s to %s are none', (first, last) => {
    expect(customRange(first, last)).toMatch(/day/);
  });
});

describe('a chart', () => {
  const range = rangeOf('24h', NOW);
  const latency = { ttft_ms: { p50: 100, p95: 900, p99: 990 } };
  const of = (name: string, requests: number): UsageRow & { name: string } => ({ ...sums(requests), name, latency });
  const many = Array.from({ length: 9 }, (_, index) => of(`part ${index}`, index + 1));
  const nameOf = (row: object): string => (row as { name: string }).name;

  it('shows what was measured, and a gap where nothing was', () => {
    const steps = everyStep(range, [of('x', 3)]);
    const [half, most] = seriesOf(TTFT, steps);
    const at = steps.findIndex(({ requests }) => requests > 0);
    expect([half?.values[at], most?.values[at], half?.values[at - 1]]).toEqual([100, 900, null]);
    expect(seriesOf(REQUESTS, steps)[0]?.values[at - 1]).toBe(0);
    expect(seriesOf(DURATION, steps).every(({ values }) => values.every((value) => value === null))).toBe(true);
  });

  it('has parts that add up to the whole, however many they are', () => {
    const whole = seriesOf(REQUESTS, everyStep(range, many))[0]?.values ?? [];
    const { series, left } = splitSeries(REQUESTS, range, many, nameOf);
    expect([series.length, left, series[0]?.label, series.at(-1)?.label]).toEqual([PARTS_MAX + 1, 0, 'part 8', '3 others']);
    expect(whole.map((_, index) => series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0))).toEqual(whole);
  });

  it('says how many parts it leaves out where they do not add up', () => {
    const { series, left } = splitSeries(TTFT, range, many, nameOf);
    expect([series.length, left, series[0]?.label]).toEqual([PARTS_MAX, 3, 'part 8']);
  });

  it('says of every figure what it is, and a dash where nobody knows', () => {
    for (const figure of FIGURES) expect(written(figure, null)).toBe('–');
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
  const question = { from: new Date(from).toISOString(), to: new Date(from + 90 * DAY).toISOString(), group_by: [] };
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
    const whole = await readUsageByDay(askWith(1_000), question);
    expect(whole).toHaveLength(90);
    for (const most of [45, 7, 1]) expect(await readUsageByDay(askWith(most), question)).toEqual(whole);
  });

  it('are refused where one day is too much', async () => {
    await expect(readUsageByDay(askWith(0), question)).rejects.toMatchObject({ param: 'step' });
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

  it('has a line for each row, with the names of keys', () => {
    const row = { ...sums(2), key: 4, deployment: 1, alias: 'demo' } as UsageRow;
    expect(usageCsv([row], (key) => (key === 4 ? '=my key' : ''))).toBe(
      'day,deployment,alias,key_id,key_name,requests,errors,prompt_tokens,cached_tokens,completion_tokens\r\n' +
        "2026-11-21,deployment-1,demo,4,'=my key,2,1,10,2,5\r\n",
    );
  });
});
