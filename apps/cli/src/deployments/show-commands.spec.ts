import { expect, it } from 'vitest';
import { sizeText } from './show-commands.js';

it.each([
  [0, '0 B'],
  [1_023, '1023 B'],
  [1_024, '1.0 KiB'],
  [2_621_440, '2.5 MiB'],
  [5 * 2 ** 30, '5.0 GiB'],
  [3_000 * 2 ** 40, '3000.0 TiB'],
])('%i bytes are %s', (bytes, text) => {
  expect(sizeText(bytes)).toBe(text);
});
