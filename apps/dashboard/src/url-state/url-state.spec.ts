import { describe, expect, it } from 'vitest';
import { booleanOf, integerOf, listOf, momentOf, textOf, wordOf } from './codec.js';
import { boundsOf, periodBefore, RANGE_MS, rangeSearch } from './range-search.js';
import { stepsOfRange } from './range-steps.js';
import { bothOf, fieldsOf, parseSearch, searchFor, searchOf, stringifySearch } from './search-codec.js';
import { tableSearch } from './table-search.js';

const SOME = fieldsOf({
  q: textOf(),
  tab: wordOf(['keys', 'mcp'], 'keys'),
  page: integerOf(1, 1, 50),
  live: booleanOf(),
  at: momentOf(),
  names: listOf(textOf()),
});
const NOTHING = { q: '', tab: 'keys', page: 1, live: false, at: null, names: [] };

describe('state in an address', () => {
  it('comes back as it was written', () => {
    const state = {
      q: 'a b&c=d',
      tab: 'mcp',
      page: 7,
      live: true,
      at: Date.UTC(2026, 10, 21, 19, 3),
      names: ['a,b', '50 %', '%2C'],
    } as const;
    const query = stringifySearch(searchFor(SOME, state));
    expect(SOME.read(parseSearch(query))).toEqual(state);
    expect(query).toContain('at=2026-11-21T19:03Z');
  });

  it('leaves out what holds its fallback', () => {
    expect(stringifySearch(searchFor(SOME, { page: 1, q: '' }))).toBe('');
    expect(searchFor(SOME, { page: 2 })).toEqual({ page: '2' });
  });

  it.each([
    ['lists where text is expected', { q: ['a'], tab: ['mcp'], page: [2], live: [true], at: ['2026-11-21T19:03Z'], names: [['a']] }],
    ['objects where text is expected', { q: {}, tab: { mcp: 1 }, page: { two: 2 }, names: { 0: 'a' } }],
    ['unknown words', { tab: 'MCP', live: 'yes', page: 'two', at: 'today' }],
    ['names that objects inherit', { tab: 'constructor', names: '' }],
    ['numbers out of bounds', { page: '0' }],
    ['numbers beyond what is exact', { page: '1e1' }],
    ['a number with a fraction', { page: '2.5' }],
    ['moments that no calendar has', { at: '2026-13-45T99:99Z' }],
    ['moments of another age', { at: '0001-01-01T00:00Z' }],
    ['null', { q: null, names: null, page: null }],
  ])('ignores %s', (_, search) => {
    expect(SOME.read(search)).toEqual(NOTHING);
  });

  it('reads numbers and booleans that a router has already parsed', () => {
    expect(SOME.read({ q: 5, page: 2, live: true })).toEqual({ ...NOTHING, q: '5', page: 2, live: true });
  });

  it('takes nothing from the prototype of the parameters', () => {
    const search = JSON.parse('{"__proto__":{"q":"x","tab":"mcp"}}') as Record<string, unknown>;
    expect(SOME.read(search)).toEqual(NOTHING);
    expect(SOME.read(Object.create({ q: 'x' }) as Record<string, unknown>)).toEqual(NOTHING);
    expect(parseSearch('?__proto__=x&q=y')).toEqual({ q: 'y' });
    expect(({} as Record<string, unknown>)['q']).toBeUndefined();
  });

  it('cuts long values and never halves a character', () => {
    expect(SOME.read({ q: 'x'.repeat(10_240) }).q).toHaveLength(200);
    expect(SOME.read({ q: `${'x'.repeat(199)}😀` }).q).toBe('x'.repeat(199));
    expect(SOME.read({ names: Array.from({ length: 10_000 }, (_, index) => index).join(',') }).names).toHaveLength(50);
    expect(parseSearch(`?q=${'x'.repeat(10_241)}&tab=mcp`)).toEqual({ tab: 'mcp' });
  });

  it('leaves control characters out of text', () => {
    expect(SOME.read(parseSearch('?q=a%00b%0Ac')).q).toBe('abc');
  });

  it('names each value of a list once', () => {
    expect(SOME.read({ names: 'b,a,,b' }).names).toEqual(['b', 'a']);
  });

  it('of two codecs stands side by side', () => {
    const codec = bothOf(fieldsOf<{ q: string }>({ q: textOf() }), rangeSearch());
    expect(searchOf(codec)({ q: 'x', range: '7d', unknown: '1' })).toEqual({ q: 'x', range: '7d' });
  });

  it('takes the first of several values of one name', () => {
    expect(parseSearch('?q=first&q=second')).toEqual({ q: 'first' });
  });
});

describe('a table in an address', () => {
  const codec = tableSearch({ facets: ['status', 'model'], sort: 'created', dir: 'desc' });

  it('names its facets each by itself', () => {
    const search = searchFor(codec, { facets: { status: ['failed', 'ready'], model: [] }, sort: 'name', page: 3 });
    expect(search).toEqual({ status: 'failed,ready', sort: 'name', page: '3' });
    expect(codec.read(search)).toMatchObject({ facets: { status: ['failed', 'ready'], model: [] }, sort: 'name', dir: 'desc', page: 3 });
  });

  it('holds no facet that it was not given', () => {
    expect(codec.read({ owner: 'x', __proto__: { status: 'y' } }).facets).toEqual({ status: [], model: [] });
  });

  it('keeps apart from a second one by its prefix', () => {
    const second = tableSearch({ prefix: 'invited-' });
    expect(searchFor(second, { q: 'ada' })).toEqual({ 'invited-q': 'ada' });
    expect(second.read({ q: 'x', 'invited-q': 'ada' }).q).toBe('ada');
    expect(searchOf(codec, second)({ q: 'x', 'invited-q': 'ada', status: 'failed' })).toEqual({
      q: 'x',
      'invited-q': 'ada',
      status: 'failed',
    });
  });

  it('ignores sizes, directions and ids that there are not', () => {
    expect(codec.read({ size: '1000000', dir: 'up', sort: '<b>', page: '-1', cols: '<i>,name', density: 'huge' })).toMatchObject({
      size: '50',
      dir: 'desc',
      sort: 'created',
      page: 1,
      cols: ['name'],
      density: 'normal',
    });
  });
});

describe('a range in an address', () => {
  const codec = rangeSearch('24h', true);
  const NOW = Date.UTC(2026, 10, 21);

  it('is a preset up to now', () => {
    const state = codec.read({ range: '7d' });
    expect(boundsOf(state, NOW)).toEqual({ from: NOW - RANGE_MS['7d'], to: NOW });
  });

  it('is custom by its two moments, and then is not live', () => {
    const state = codec.read({ range: '7d', from: '2026-11-01T00:00Z', to: '2026-11-02T12:30Z', live: 'true' });
    expect(state).toMatchObject({ from: Date.UTC(2026, 10, 1), to: Date.UTC(2026, 10, 2, 12, 30), live: false });
    expect(searchFor(codec, state)).toEqual({ from: '2026-11-01T00:00Z', to: '2026-11-02T12:30Z' });
    expect(boundsOf(state, NOW)).toEqual({ from: state.from, to: state.to });
  });

  it.each([
    [{ from: '2026-11-01T00:00Z' }],
    [{ from: '2026-11-02T00:00Z', to: '2026-11-01T00:00Z' }],
    [{ from: '2024-11-02T00:00Z', to: '2026-11-01T00:00Z' }],
    [{ range: 'toString' }],
  ])('ignores %j', (search) => {
    expect(codec.read(search)).toEqual({ range: '24h', from: null, to: null, compare: false, live: true });
  });

  it('has a period of the same length before it', () => {
    expect(periodBefore({ from: 100, to: 150 })).toEqual({ from: 50, to: 100 });
  });
});

describe('the steps of a range', () => {
  const NOW = Date.parse('2026-11-21T12:34:56Z');
  const preset = (range: keyof typeof RANGE_MS) => stepsOfRange({ range, from: null, to: null }, NOW);

  it('follow its length and end with the one that runs', () => {
    expect(preset('15m')).toEqual({
      ...{ step: 'minute', stepMs: 60_000 },
      ...{ from: Date.parse('2026-11-21T12:20:00Z'), to: Date.parse('2026-11-21T12:35:00Z') },
    });
    expect([preset('6h').step, preset('24h').step, preset('7d').step, preset('90d').step]).toEqual(['minute', 'hour', 'day', 'day']);
    expect((preset('90d').to - preset('90d').from) / 86_400_000).toBe(90);
  });

  it('contain a custom range whole', () => {
    const from = Date.parse('2026-11-20T10:30:00Z');
    const steps = stepsOfRange({ range: '7d', from, to: from + 3 * 86_400_000 }, NOW);
    expect(steps).toMatchObject({ step: 'hour', from: from - 1_800_000, to: from + 3 * 86_400_000 + 1_800_000 });
  });
});
