import { describe, expect, it } from 'vitest';
import { FairPlaces } from './fair-places.js';

/** Takes as many places as an owner gets. */
function takeAll(places: FairPlaces, holder: number): number {
  let taken = 0;
  while (places.take(holder)) taken += 1;
  return taken;
}

describe('FairPlaces', () => {
  it('gives one owner at most three quarters', () => {
    const places = new FairPlaces(1_000);
    expect([1, 2, 3].map((holder) => takeAll(places, holder))).toEqual([750, 188, 47]);
  });

  it('gives out returned places again', () => {
    const places = new FairPlaces(8);
    const taken = takeAll(places, 1);
    for (let i = 0; i < taken; i += 1) places.leave(1);
    expect([takeAll(places, 2), taken]).toEqual([6, 6]);
  });

  it('bounds owners by a fixed number', () => {
    expect([takeAll(new FairPlaces(100, 5), 1), takeAll(new FairPlaces(100, 200), 1)]).toEqual([5, 100]);
  });
});
