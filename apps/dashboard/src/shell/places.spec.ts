import { expect, it } from 'vitest';
import { PLACE_GROUPS, placesFor } from './places.js';

const all = PLACE_GROUPS.flatMap(({ places }) => places);

it('no two screens have the same key or address', () => {
  for (const of of ['key', 'to', 'label'] as const) expect(new Set(all.map((place) => place[of])).size, of).toBe(all.length);
});

it('keys of screens are single characters and not the key g', () => {
  expect(all.filter(({ key }) => key.length !== 1 || key === 'g')).toEqual([]);
});

it('screens for owners are left out for others', () => {
  const labels = (isOwner: boolean): string[] => placesFor(isOwner).flatMap(({ places }) => places.map(({ label }) => label));
  expect(labels(true)).toContain('Activity');
  expect(labels(false)).not.toContain('Activity');
  expect(labels(false)).toHaveLength(all.filter(({ forOwners }) => !forOwners).length);
});
