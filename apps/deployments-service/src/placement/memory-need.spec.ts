import { expect, it } from 'vitest';
import { memoryNeed } from './memory-need.js';

const GIB = 2 ** 30;

it.each([
  ['weights and a fifth, and the cache of all slots', { fileBytes: 4 * GIB, context: 8_192, slots: 4 }, 4.8 * GIB + 4 * GIB],
  ['the assumed context where none is named', { fileBytes: 4 * GIB, context: null, slots: 1 }, 4.8 * GIB + 0.5 * GIB],
  ['at least 4 KiB a token for tiny models', { fileBytes: 1_000, context: 1_024, slots: 2 }, 1_200 + 8 * 2 ** 20],
])('counts %s', (_, size, expected) => {
  expect(memoryNeed(size)).toBe(Math.ceil(expected));
});
