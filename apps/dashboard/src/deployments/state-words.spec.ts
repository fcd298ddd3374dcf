import { expect, it } from 'vitest';
import { meaningOf } from './state-words.js';

it('a damaged file is not said to be tried again by itself; other failures are', () => {
  expect(meaningOf({ state: 'failed', reason: 'model_invalid' })).toContain('tried again when its file or its settings change');
  expect(meaningOf({ state: 'failed', reason: 'engine_unreachable' })).toContain('tried again by itself');
  expect(meaningOf({ state: 'ready', reason: null })).toBe('It answers requests.');
});
