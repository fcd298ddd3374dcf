import type { UsageRow } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { cell, usageCsv } from './usage-csv.js';
import { everyStep, rangeOf, sumOf } from './usage-range.js';

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
