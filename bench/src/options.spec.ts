import { describe, expect, it } from 'vitest';
import { readOptions } from './options.js';

describe('the options of the benchmark', () => {
  it('run everything in three rounds by themselves', () => {
    const { loads, rest, idle, rounds, share } = readOptions([]);
    expect({ rest, idle, rounds, share }).toEqual({ rest: true, idle: true, rounds: 3, share: 1 });
    expect(loads).toEqual(expect.arrayContaining(['short', 'ladder-512', 'body-400', 'open-1000', 'refused']));
  });

  it('select loads by name and by family', () => {
    expect(readOptions(['short,ladder-8', 'bodies'])).toMatchObject({ loads: ['short', 'ladder-8', 'body-10', 'body-400'], rest: false });
    expect(readOptions(['rest'])).toMatchObject({ loads: [], rest: true, idle: false });
  });

  it('add a Slipway with spans where it is wanted', () => {
    expect([readOptions(['short']).spans, readOptions(['short', '--spans']).spans]).toEqual([false, true]);
  });

  it('add a Slipway of two gateways where it is wanted', () => {
    expect([readOptions(['short']).doubled, readOptions(['short', '--doubled']).doubled]).toEqual([false, true]);
  });

  it('refuse a load that does not exist, and rounds that are no number', () => {
    expect(() => readOptions(['shrt'])).toThrow(/no load shrt; there are rest, idle, short/);
    expect(() => readOptions(['--rounds', '0'])).toThrow(/whole number/);
  });
});
