import { describe, expect, it } from 'vitest';
import type { AdapterScorer } from '../scoring.js';
import { LearnPreferences } from './objective.js';
import type { PreparedExample } from './prepared-example.js';

const CHOSEN = 1;
const REJECTED = 2;
const pair = (id: number): PreparedExample => ({
  ...{ pieces: [], tokens: [id, CHOSEN], spans: [[1, 2]], asked: '', expected: '', reference: '', prompt: String(id), promptTokens: 1 },
  rejected: { tokens: [id, REJECTED, REJECTED], spans: [[1, 3]] },
});
const pairs = [pair(0), pair(1)];

/** Gives each token of an answer a log probability. */
const scorer = (chosen: number, rejected: number): AdapterScorer => ({
  logprobs: (tokens, from) => Promise.resolve(tokens.slice(from).map((token) => (token === CHOSEN ? chosen : rejected))),
  answer: () => Promise.resolve({ tokens: [], text: '', end: null }),
  dispose: () => Promise.resolve(),
});

describe('the objective of preferences', () => {
  const { signal } = new AbortController();
  const asked = async (): Promise<LearnPreferences> => {
    const objective = new LearnPreferences(0.5);
    await objective.ask(scorer(-4, -1), pairs, signal);
    return objective;
  };

  it('has the loss of a coin on the base, which prefers no answer to itself', async () => {
    const { loss, preferred } = await (await asked()).measure(scorer(-4, -1), pairs, signal);
    expect(loss).toBeCloseTo(Math.LN2, 10);
    expect(preferred).toBe(0);
  });

  it('falls as the chosen answer gains on the rejected one', async () => {
    const { loss, preferred } = await (await asked()).measure(scorer(-1, -3), pairs, signal);
    // Gains of 3 and −4 over all tokens of the answers.
    expect(loss).toBeCloseTo(Math.log1p(Math.exp(-0.5 * 7)), 10);
    expect(preferred).toBe(2);
  });

  it('measures nothing without examples', async () => {
    expect(await (await asked()).measure(scorer(-1, -1), [], signal)).toEqual({ loss: null, preferred: 0 });
  });
});
