import type { Sampling } from '@slipway/contracts';
import type { Token } from 'node-llama-cpp';
import { describe, expect, it } from 'vitest';
import { describeLogprob, type NextToken, RawSampler } from './raw-sampler.js';

const DEFAULTS = { topK: 40, topP: 0.95, minP: 0 };
const PROBABILITIES = [0.5, 0.25, 0.15, 0.06, 0.04];
const asToken = (id: number): Token => id as Token;

/** A vocabulary of five, likeliest first, whose raw probabilities are known. */
const next: NextToken = {
  logits: new Map(PROBABILITIES.map((p, i) => [asToken(i), Math.log(p)])),
  totalWeight: PROBABILITIES.reduce((sum, p) => sum + p / 0.5, 0),
};

function shares(sampling: Sampling, forbidden: readonly number[] = [], generated: readonly number[] = [], rounds = 20_000): number[] {
  const sampler = new RawSampler({ top_k: 0, top_p: 1, ...sampling }, DEFAULTS, 7);
  const counts = PROBABILITIES.map(() => 0);
  const banned = new Set(forbidden.map(asToken));
  for (let round = 0; round < rounds; round += 1) {
    const token = sampler.choose(next, banned, generated.map(asToken));
    counts[token] = (counts[token] ?? 0) + 1;
  }
  return counts.map((count) => count / rounds);
}

const normal = (weights: readonly number[]): number[] => weights.map((weight) => weight / weights.reduce((sum, each) => sum + each, 0));
function expectShares(found: readonly number[], expected: readonly number[]): void {
  for (const [i, share] of found.entries()) expect(Math.abs(share - (expected[i] ?? 0))).toBeLessThan(0.02);
}

describe('sampling from raw logits', () => {
  it('draws tokens as often as they are likely', () => {
    expectShares(shares({}), PROBABILITIES);
    expectShares(shares({ temperature: 2 }), normal(PROBABILITIES.map(Math.sqrt)));
  });

  it('cuts off by number, by share and by distance', () => {
    expectShares(shares({ top_k: 2 }), normal([0.5, 0.25]));
    expectShares(shares({ top_p: 0.8 }), normal([0.5, 0.25, 0.15]));
    expectShares(shares({ min_p: 0.4 }), normal([0.5, 0.25]));
  });

  it('is greedy at temperature 0 and at top_p 0', () => {
    for (const sampling of [{ temperature: 0 }, { top_p: 0 }]) expect(shares(sampling, [], [], 20)[0]).toBe(1);
  });

  it('never takes what is forbidden, and weighs and punishes what the request names', () => {
    expectShares(shares({}, [0, 4]), normal([0, 0.25, 0.15, 0.06, 0]));
    expect(shares({ temperature: 0, logit_bias: { '3': 5 } }, [], [], 5)[3]).toBe(1);
    expect(shares({ logit_bias: { '0': -100 } })[0]).toBe(0);
    expect(shares({ temperature: 0, frequency_penalty: 1 }, [], [0, 0], 5)[1]).toBe(1);
    expect(shares({ temperature: 0, presence_penalty: 2 }, [], [0], 5)[1]).toBe(1);
    expect(shares({ temperature: 0, repetition_penalty: 3 }, [], [0], 5)[1]).toBe(1);
  });

  it('punishes what was generated since the last choice too, and forgets nothing of it', () => {
    const sampler = new RawSampler({ temperature: 0, top_k: 0, top_p: 1, frequency_penalty: 1 }, DEFAULTS, 7);
    const generated: Token[] = [];
    const chosen: number[] = [];
    for (let round = 0; round < 6; round += 1) {
      chosen.push(sampler.choose(next, new Set(), generated));
      // Forced tokens come without a choice of their own.
      generated.push(asToken(chosen[round] ?? 0), asToken(1));
    }
    expect(chosen).toEqual([0, 0, 2, 0, 3, 2]);
  });

  it('says how many logits it needs: all where the order may change', () => {
    const needed = (sampling: Sampling) => new RawSampler(sampling, DEFAULTS, 1).needed(3);
    expect([needed({}), needed({ top_k: 5 }), needed({ temperature: 0 }), needed({ top_k: 0 }), needed({ presence_penalty: 1 })]).toEqual([
      43,
      8,
      4,
      null,
      null,
    ]);
    expect(needed({ logit_bias: { '1': 1 } })).toBeNull();
  });

  it('tells the raw probability of a token and of the likeliest ones', () => {
    const { t, p, top } = describeLogprob(next, asToken(2), 2, (token) => ({ t: `t${token}` }));
    expect([t, top?.map((each) => each.t)]).toEqual(['t2', ['t0', 't1']]);
    expect(Math.exp(p)).toBeCloseTo(0.15, 5);
    expect(top?.map((each) => Math.exp(each.p).toFixed(3))).toEqual(['0.500', '0.250']);
    expect(describeLogprob(next, asToken(2), 0, () => ({ t: '' })).top).toBeUndefined();
  });
});
