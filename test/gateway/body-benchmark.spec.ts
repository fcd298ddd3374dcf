import { fileURLToPath } from 'node:url';
import { isServiceError } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { checkOf, SAMPLES } from '../../bench/src/bodies-bench.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

describe('the benchmark of bodies', () => {
  it.each(SAMPLES)('checks by the gateway’s own readers: $name', async (sample) => {
    const check = await checkOf(root);
    const refusal = (): unknown => {
      try {
        check(sample);
      } catch (error) {
        return error;
      }
      return null;
    };
    expect(isServiceError(refusal())).toBe(sample.isRefused === true);
  });
});
