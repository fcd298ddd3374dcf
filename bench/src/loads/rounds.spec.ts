import { describe, expect, it } from 'vitest';
import { deadlineMs } from '../messages.js';
import type { Way } from '../ways/way.js';
import { LOADS, shortened } from './loads.js';
import { arrivalFor, orderOf, waysOf } from './rounds.js';

const way = (name: string): Way => ({ name }) as Way;
const ways = ['direct', 'nginx', 'slipway'].map(way);
const load = (name: string) => {
  const found = LOADS.find((one) => one.name === name);
  if (!found) throw new Error(name);
  return found;
};
const namesFor = (name: string, keys: readonly string[] = []): string[] =>
  waysOf(load(name), ways, new Map(keys.map((key) => [key, 'k']))).map((one) => one.name);

describe('the ways of a round', () => {
  it('take turns backwards in every second round', () => {
    expect(
      [0, 1, 2].map((round) =>
        orderOf(ways, round)
          .map(({ name }) => name)
          .join(' '),
      ),
    ).toEqual(['direct nginx slipway', 'slipway nginx direct', 'direct nginx slipway']);
  });

  it('ask the engine itself where added time is read', () => {
    expect([namesFor('short')[0], namesFor('paced')[0], namesFor('ladder-8')[0]]).toEqual(['direct', 'direct', 'nginx']);
  });

  it('send a refused key only to those that check keys', () => {
    expect(namesFor('refused', ['slipway'])).toEqual(['slipway']);
  });
});

it('a load has as many clients for each gateway as for one', () => {
  expect(arrivalFor([1], load('short').requests.arrival)).toEqual(load('short').requests.arrival);
  expect(arrivalFor([1, 2], load('short').requests.arrival)).toMatchObject({ concurrency: 20, withinMs: 4_000 });
  expect(arrivalFor([1, 2], load('paced').requests.arrival)).toMatchObject({ concurrency: 600 });
  expect(arrivalFor([1, 2], load('open-150').requests.arrival)).toMatchObject({ perSecond: 300 });
});

describe('the time of all loads', () => {
  it('is bounded for each of them', () => {
    for (const { requests, beside } of LOADS)
      for (const one of beside ? [requests, beside] : [requests]) expect(deadlineMs(one)).toBeLessThan(40_000);
  });

  it('fits three rounds of three ways into a quarter of an hour', () => {
    const seconds = LOADS.map(({ requests: { arrival, script } }) => (arrival.withinMs + script.tokens * script.gapMs) / 1_000);
    expect(seconds.reduce((sum, each) => sum + each, 0) * 3 * 3).toBeLessThan(900);
  });

  it('is shorter in a part of it, and whole answers remain', () => {
    expect(shortened(load('short'), 0.25).requests.arrival.withinMs).toBe(1_000);
    expect(shortened(load('ladder-1'), 0.25).requests.arrival.withinMs).toBe(2_500);
  });
});
