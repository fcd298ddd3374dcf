import { describe, expect, it } from 'vitest';
import type { AdapterScorer } from '../scoring.js';
import { chooseScale } from './adapter-scale.js';
import type { PreparedExample } from './prepared-example.js';

const LOOP = Array.from({ length: 8 }, () => 7);
const example = (id: number): PreparedExample => ({
  ...{ pieces: [], tokens: [id, 1, 2], spans: [[1, 3]], asked: '', expected: 'yes', reference: 'yes', prompt: String(id), promptTokens: 1 },
});
const EXAMPLES = [example(0), example(1)];
/** Losses of the base a token: it never gives these answers itself. */
const UNKNOWN = [3, 3] as const;

interface Play {
  /** Answers to both prompts at a share of the adapter. */
  readonly answers: (scale: number) => readonly [string, string];
  readonly loss?: (scale: number) => number;
  /** Losses of the base. */
  readonly before?: readonly [number, number];
}

/** The share that is chosen for an adapter that plays so. */
function chosen({ answers, loss = () => 0.1, before = UNKNOWN }: Play): Promise<number> {
  const scoring = (adapter: string | null, _context: number, scale = 1): Promise<AdapterScorer> =>
    Promise.resolve({
      logprobs: (tokens, from) => {
        const each = adapter === null ? before[tokens[0] as 0 | 1] : loss(scale);
        return Promise.resolve(tokens.slice(from).map(() => -each));
      },
      answer: ([id]) => {
        const text = answers(scale)[id as 0 | 1];
        return Promise.resolve({ tokens: text === 'loop' ? LOOP : [1], text, end: 2 });
      },
      dispose: () => Promise.resolve(),
    });
  const { signal } = new AbortController();
  return chooseScale({ scorer: { scoring }, adapter: '/a.gguf', context: 64, base: { judged: EXAMPLES, scored: EXAMPLES }, signal });
}

describe('the share of an adapter that is applied', () => {
  it('is the smallest at which what was taught stays right', async () => {
    expect(await chosen({ answers: (scale) => ['yes', scale < 0.7 ? 'no' : 'yes'] })).toBe(0.7);
  });

  it('may change an answer that the base gives now and then', async () => {
    expect(await chosen({ answers: (scale) => ['yes', scale < 0.7 ? 'no' : 'yes'], before: [3, 1] })).toBe(0.5);
  });

  it('does not let an answer begin to repeat itself', async () => {
    expect(await chosen({ answers: (scale) => ['yes', scale < 0.9 ? 'loop' : 'no'] })).toBe(0.9);
  });

  it('keeps what training gained in loss', async () => {
    expect(await chosen({ answers: () => ['yes', 'no'], loss: (scale) => 0.1 + (1 - scale) * 0.6 })).toBe(0.8);
  });

  it('is all of it where nothing that was taught is right', async () => {
    expect(await chosen({ answers: () => ['no', 'no'] })).toBe(1);
    expect(await chosen({ answers: () => ['yes', 'yes'], before: [1, 1] })).toBe(1);
  });
});
