import { describe, expect, it } from 'vitest';
import type { AdapterScorer } from '../scoring.js';
import { chooseScale } from './adapter-scale.js';
import type { PreparedExample } from './prepared-example.js';

const LOOP = Array.from({ length: 8 }, () => 7);
const example = (id: number): PreparedExample => ({
  ...{ pieces: [], tokens: [id, 1, 2], spans: [[1, 3]], asked: '', expected: 'yes', reference: 'yes', prompt: String(id), promptTokens: 1 },
});
const EXAMPLES = [example(10), example(11)];

/** What an adapter answers to both prompts, and its loss, at a share of its weights; null = the base alone. */
type Play = (scale: number | null) => { answers: readonly [string, string]; loss: number };

/** The share that is chosen for an adapter that plays so. */
function chosen(play: Play): Promise<number> {
  const scoring = (adapter: string | null, _context: number, scale = 1): Promise<AdapterScorer> => {
    const { answers, loss } = play(adapter === null ? null : scale);
    return Promise.resolve({
      logprobs: (tokens, from) => Promise.resolve(tokens.slice(from).map(() => -loss)),
      answer: ([id]) => {
        const text = answers[id === 10 ? 0 : 1];
        return Promise.resolve({ tokens: text === 'loop' ? LOOP : [1], text, end: 2 });
      },
      dispose: () => Promise.resolve(),
    });
  };
  const { signal } = new AbortController();
  return chooseScale({ scorer: { scoring }, adapter: '/a.gguf', context: 64, base: { judged: EXAMPLES, scored: EXAMPLES }, signal });
}

describe('the share of an adapter that is applied', () => {
  it('is the smallest that keeps right answers right', async () => {
    const share = await chosen((scale) => ({
      answers: ['yes', scale !== null && scale < 0.7 ? 'no' : 'yes'],
      loss: scale === null ? 2 : 0.1,
    }));
    expect(share).toBe(0.7);
  });

  it('does not let an answer begin to repeat itself', async () => {
    const share = await chosen((scale) => ({
      answers: ['yes', scale !== null && scale < 0.9 ? 'loop' : 'no'],
      loss: scale === null ? 2 : 0.1,
    }));
    expect(share).toBe(0.9);
  });

  it('keeps what training gained in loss', async () => {
    const share = await chosen((scale) => ({ answers: ['yes', 'no'], loss: scale === null ? 2.1 : 0.1 + (1 - scale) * 0.4 }));
    expect(share).toBe(0.8);
  });

  it('is half at least', async () => {
    expect(await chosen((scale) => ({ answers: ['yes', 'yes'], loss: scale === null ? 2 : 0.1 }))).toBe(0.5);
  });

  it('is all of it where no answer is right', async () => {
    expect(await chosen((scale) => ({ answers: ['no', 'no'], loss: scale === null ? 2 : 0.1 }))).toBe(1);
  });
});
