import { describe, expect, it } from 'vitest';
import { vectorText } from './embedding.js';

const numbersOf = (text: string): number[] => [...new Float32Array(new Uint8Array(Buffer.from(text, 'base64')).buffer)];

describe('a vector as it travels', () => {
  it('is little-endian floats of length 1', () => {
    expect(vectorText([0, 5])).toBe('AAAAAAAAgD8=');
    expect(numbersOf(vectorText([3, -4])).map((number) => number.toFixed(6))).toEqual(['0.600000', '-0.800000']);
  });

  it.each([[[]], [[0, 0]], [[Number.NaN, 1]], [[Infinity]], [[1e200, 1e200]]])('is none without a direction: %j', (numbers) => {
    expect(() => vectorText(numbers)).toThrow(/direction/);
  });
});
