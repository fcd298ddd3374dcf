import { expect, it } from 'vitest';
import { retryDelay } from './retry-delay.js';

it('a first crash is answered at once, further ones ever later, up to half a minute', () => {
  expect([1, 2, 3, 4, 7, 8, 50].map((failures) => retryDelay(failures, true))).toEqual([0, 1_000, 2_000, 4_000, 30_000, 30_000, 30_000]);
});

it('a model that cannot be loaded is never tried again at once', () => {
  expect([1, 2, 6, 7, 50].map((failures) => retryDelay(failures, false))).toEqual([1_000, 2_000, 30_000, 30_000, 30_000]);
});
