import { describe, expect, it } from 'vitest';
import { FairPlaces } from './fair-places.js';

/** Takes as many as a holder gets. */
function takeAll(places: FairPlaces, holder: number): number {
  let taken = 0;
  while (places.take(holder)) taken += 1;
  return taken;
}

describe('places that are shared', () => {
  it('go to one holder up to three quarters of them, and to the next of what is left', () => {
    const places = new FairPlaces(1_000);
    expect([1, 2, 3].map((holder) => takeAll(places, holder))).toEqual([750, 188, 47]);
  });

  it('can be had again once they are given back', () => {
    const places = new FairPlaces(8);
    const taken = takeAll(places, 1);
    for (let i = 0; i < taken; i += 1) places.leave(1);
    expect([takeAll(places, 2), taken]).toEqual([6, 6]);
  });

  it('go to a holder up to a number that is set, and never beyond what there is', () => {
    expect([takeAll(new FairPlaces(100, 5), 1), takeAll(new FairPlaces(100, 200), 1)]).toEqual([5, 100]);
  });
});
