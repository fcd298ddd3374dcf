import type { Token } from 'node-llama-cpp';
import { expect, it } from 'vitest';
import { describeLogprob } from './token-source.js';

const asToken = (id: number): Token => id as Token;

it('describeLogprob gives raw probabilities with the likeliest tokens', () => {
  const probabilities = [0.5, 0.25, 0.15, 0.06, 0.04];
  const next = {
    logits: new Map(probabilities.map((p, i) => [asToken(i), Math.log(p)])),
    totalWeight: probabilities.reduce((sum, p) => sum + p / 0.5, 0),
  };
  const { t, p, top } = describeLogprob(next, asToken(2), 2, (token) => ({ t: `t${token}` }));
  expect([t, top?.map((each) => each.t)]).toEqual(['t2', ['t0', 't1']]);
  expect(Math.exp(p)).toBeCloseTo(0.15, 5);
  expect(top?.map((each) => Math.exp(each.p).toFixed(3))).toEqual(['0.500', '0.250']);
  expect(describeLogprob(next, asToken(2), 0, () => ({ t: '' })).top).toBeUndefined();
});
