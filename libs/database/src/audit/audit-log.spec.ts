import { expect, it } from 'vitest';
import { changesOf } from './audit-log.js';

it('states each changed limit before and after', () => {
  const before = { requests_per_minute: 60, tokens_per_day: 1_000, concurrent_requests: 4 };
  const after = { requests_per_minute: 60, tokens_per_day: 2_000, tokens_per_month: 9_000 };
  expect(changesOf(before, after, 'none')).toEqual({
    tokens_per_day: '1000 → 2000',
    tokens_per_month: 'none → 9000',
    concurrent_requests: '4 → none',
  });
});
