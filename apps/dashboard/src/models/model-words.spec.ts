import { expect, it } from 'vitest';
import { addressOf } from './model-words.js';

it('a model is found where its source says', () => {
  expect(addressOf({ kind: 'file', path: '/models/a.gguf' })).toBe('/models/a.gguf');
  expect(addressOf({ kind: 'download', uri: 'hf:me/repo/a.gguf' })).toBe('hf:me/repo/a.gguf');
  expect(addressOf({ kind: 'http', url: 'http://gpu:8000', model: 'qwen3' })).toBe('http://gpu:8000 qwen3');
});
