import { expect, it } from 'vitest';
import { faultOfLimit, limitsOf, textsOf } from './key-limits.js';

it('limits that are left empty are no limits', () => {
  const texts = { ...textsOf({ tokens_per_day: 5_000 }), requests_per_minute: ' 60 ', tokens_per_month: ' ' };
  expect(limitsOf(texts)).toEqual({ tokens_per_day: 5_000, requests_per_minute: 60 });
  expect(limitsOf(textsOf(undefined))).toEqual({});
});

it.each(['0', '-1', '1.5', 'many', '2000000000000'])('%s is no limit', (text) => {
  expect(faultOfLimit(text)).not.toBeNull();
});
