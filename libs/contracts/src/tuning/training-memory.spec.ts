import { describe, expect, it } from 'vitest';
import { adapterNumbers, type BaseShape, paddedTokens, scoringMemory, trainerMemory, trainingMemory } from './training-memory.js';

const TINY: BaseShape = { layers: 4, width: 192, feed_forward: 512, heads: 3, kv_heads: 3, head_size: 64, vocabulary: 2_048 };
const LARGER: BaseShape = { layers: 12, width: 512, feed_forward: 1_536, heads: 8, kv_heads: 8, head_size: 64, vocabulary: 2_048 };
/** As the embedded trainer says of itself. */
const EMBEDDED = { bytes: 72 * 2 ** 20, per_base: 1.35, per_adapter_number: 16, activations: true };

type Measured = readonly [shape: BaseShape, fileBytes: number, tokens: number, rank: number, peakMib: number];

/** Peaks of resident memory of the embedded trainer, by its process. */
const MEASURED: readonly Measured[] = [
  [TINY, 2_371_232, 64, 8, 84],
  [TINY, 2_371_232, 256, 8, 108],
  [TINY, 2_371_232, 1_024, 16, 243],
  [{ ...TINY, layers: 16 }, 8_043_744, 512, 8, 288],
  [{ ...TINY, feed_forward: 4_096 }, 11_144_864, 512, 8, 249],
  [{ ...TINY, heads: 12, kv_heads: 12 }, 4_251_296, 512, 8, 227],
  [{ ...TINY, width: 768 }, 9_285_536, 512, 8, 173],
  [{ ...TINY, vocabulary: 32_768 }, 9_398_144, 256, 8, 300],
  [LARGER, 44_691_392, 64, 8, 179],
  [LARGER, 44_691_392, 256, 8, 296],
  [LARGER, 44_691_392, 256, 64, 406],
  [{ ...LARGER, kv_heads: 2 }, 39_677_888, 128, 8, 199],
];

describe('memory of a training', () => {
  it.each(MEASURED)('is within 7 %% of what was measured (%#)', (...measured) => {
    const [shape, bytes, tokens, rank, mib] = measured;
    const estimate = trainerMemory(EMBEDDED, { base: { bytes, shape }, rank, tokens })! / 2 ** 20;
    expect(Math.abs(estimate - mib) / mib).toBeLessThan(0.07);
  });

  it('counts the numbers of an adapter as its file does', () => {
    // The file of rank 16 for the bundled model has 937,856 bytes, of which 4,000 are names.
    expect(4 * adapterNumbers(TINY, 16)).toBe(933_888);
  });

  it('is unknown where the shape of the base is', () => {
    const size = { base: { bytes: 100 }, rank: 8, tokens: 64 };
    expect(trainingMemory(EMBEDDED, size)).toBeNull();
    expect(trainingMemory({ bytes: 10, per_base: 4, per_adapter_number: 0, activations: false }, size)).toBe(410 + scoringMemory(size));
  });

  it('pads examples as trainers do', () => {
    expect([1, 32, 33].map(paddedTokens)).toEqual([32, 32, 64]);
  });
});
