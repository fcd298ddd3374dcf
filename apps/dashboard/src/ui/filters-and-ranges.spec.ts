import { describe, expect, it } from 'vitest';
import { chipsOf, chosenOf, type Filter, suggestionsOf } from './filter-suggestions.js';
import { fromField, rangeText, toField } from './range-words.js';

const FILTERS: readonly Filter[] = [
  { id: 'status', title: 'Status', values: ['failed', 'completed'] },
  { id: 'key', title: 'API key', values: ['7', '8'], words: (value) => `Website ${value}` },
  { id: 'request', title: 'Request', values: [], isFree: true },
];

describe('filters', () => {
  it('come back from their chips, each value once', () => {
    const chosen = { status: ['failed'], key: ['7', '8'], request: ['a:b'] };
    expect(chosenOf(FILTERS, [...chipsOf(FILTERS, chosen), 'status:failed'])).toEqual(chosen);
  });

  it.each(['nothing', 'unknown:x', ':', 'status:', '__proto__:x', 'constructor:x'])('ignore the chip %s', (chip) => {
    expect(chosenOf(FILTERS, [chip])).toEqual({ status: [], key: [], request: [] });
  });
});

describe('suggestions', () => {
  it.each([
    ['', ['status:', 'key:', 'request:']],
    ['sta', ['status:']],
    ['fail', ['status:failed']],
    ['status:', ['status:completed']],
    ['key:web', ['key:7', 'key:8']],
    ['website 8', ['key:8']],
    ['request:req_1', ['request:req_1']],
    ['request:', []],
    ['zzz', []],
  ])('for "%s" are %j', (typed, expected) => {
    const chosen = typed === 'status:' ? { status: ['failed'] } : {};
    expect(suggestionsOf(FILTERS, chosen, typed)).toEqual(expected);
  });
});

describe('custom ranges', () => {
  const AT = Date.UTC(2026, 10, 21, 19, 3);

  it.each(['utc', 'local'] as const)('come back from their fields in %s', (zone) => {
    expect(fromField(toField(AT, zone), zone)).toBe(AT);
  });

  it('name the day once where it is one', () => {
    expect(rangeText(AT, AT + 3_600_000, 'utc')).toBe('2026-11-21 19:03 – 20:03');
    expect(rangeText(AT, AT + 86_400_000, 'utc')).toBe('2026-11-21 19:03 – 2026-11-22 19:03');
  });

  it('are no moments where a field is empty', () => {
    expect(fromField('', 'local')).toBeNaN();
    expect(fromField('', 'utc')).toBeNaN();
  });
});
