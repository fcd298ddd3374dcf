import { expect, it } from 'vitest';
import { impactOf } from './key-impact.js';
import { callsOf } from './revoke-dialogs.js';

it('the impact counts the requests of the given keys alone', () => {
  const rows = [{ key: 1, requests: 40 }, { key: 2, requests: 2 }, { key: 3, requests: 0 }, { key: 9, requests: 100 }, { requests: 7 }];
  expect(impactOf(rows, new Set([1, 2, 3]))).toEqual({ requests: 42, keys: 2 });
  expect(impactOf(rows, new Set([4]))).toEqual({ requests: 0, keys: 0 });
});

it('many keys are revoked in calls of 100', () => {
  const ids = Array.from({ length: 250 }, (_, index) => index + 1);
  const calls = callsOf(ids);
  expect(calls.map(({ length }) => length)).toEqual([100, 100, 50]);
  expect(calls.flat()).toEqual(ids);
});
