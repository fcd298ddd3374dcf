import { expect, it } from 'vitest';
import { retryDelay } from './replica.js';

it('restarts at once after a first crash, later after further ones', () => {
  expect([1, 2, 3, 4, 7, 8, 50].map((failures) => retryDelay(failures, true))).toEqual([0, 1_000, 2_000, 4_000, 30_000, 30_000, 30_000]);
});

it('never reloads a failed model at once', () => {
  expect([1, 2, 6, 7, 50].map((failures) => retryDelay(failures, false))).toEqual([1_000, 2_000, 30_000, 30_000, 30_000]);
});
