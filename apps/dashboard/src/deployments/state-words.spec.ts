import { expect, it } from 'vitest';
import { consequenceOf, meaningOf } from './state-words.js';

it('a damaged file waits for a change; other failures are retried', () => {
  expect(meaningOf({ state: 'failed', reason: 'model_invalid' })).toContain('retried when its file or settings change');
  expect(meaningOf({ state: 'failed', reason: 'engine_unreachable' })).toContain('retried automatically');
  expect(meaningOf({ state: 'ready', reason: null })).toBe('Serving requests.');
});

it('what callers get beside a reason is said once', () => {
  expect(consequenceOf({ state: 'degraded', reason: 'no_capacity' })).toBe('Requests are answered meanwhile.');
  expect(consequenceOf({ state: 'failed', reason: 'engine_unreachable' })).toBe('Requests get 503 until then.');
  expect(consequenceOf({ state: 'failed', reason: 'model_invalid' })).toContain('when its file or settings change');
});
