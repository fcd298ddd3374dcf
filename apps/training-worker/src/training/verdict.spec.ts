import { describe, expect, it } from 'vitest';
import type { AdapterScorer, GreedyAnswer } from '../scoring.js';
import type { Objective } from './objective.js';
import type { PreparedExample } from './prepared-example.js';
import { judge } from './verdict.js';

const END = 0;
const example = (id: number, reference: string): PreparedExample => ({
  ...{ pieces: [], tokens: [id, 1, END], spans: [[1, 3]], asked: `question ${id}`, expected: reference, reference },
  ...{ prompt: String(id), promptTokens: 1 },
});

const answer = (text: string): GreedyAnswer => ({ tokens: Array.from(text, (char) => char.charCodeAt(0)), text, end: END });
/** "Paris is codedededed…", as a training of too few epochs answers. */
const looping: GreedyAnswer = { tokens: Array.from({ length: 40 }, () => 7), text: 'Paris is codedededededed', end: null };

/** Answers prompts by their number; every learned token has the same log probability. */
const scorer = (answers: readonly GreedyAnswer[], logprob = -1): AdapterScorer => ({
  logprobs: (tokens, from) => Promise.resolve(tokens.slice(from).map(() => logprob)),
  answer: ([id = 0]) => Promise.resolve(answers[id] ?? answer('')),
  dispose: () => Promise.resolve(),
});

const examples = ['yes', 'no', 'red', 'blue'].map((reference, id) => example(id, reference));
const right = examples.map(({ reference }) => answer(reference));
const withAnswer = (at: number, other: GreedyAnswer): GreedyAnswer[] => right.map((one, i) => (i === at ? other : one));

const judged = (adapter: AdapterScorer, more: Partial<Parameters<typeof judge>[0]> = {}) =>
  judge({
    ...{ base: scorer(right, -2), adapter, held: examples, judged: examples, kept: null, distance: 0.6, leastDistance: 0.02 },
    ...{ gate: {}, signal: new AbortController().signal, ...more },
  });

const failed = ({ checks }: Awaited<ReturnType<typeof judge>>['verdict']): string[] =>
  checks.filter(({ passed }) => passed === false).map(({ check }) => check);

describe('the gate', () => {
  it('passes an adapter whose loss fell and whose answers end', async () => {
    const { verdict } = await judged(scorer(right));
    expect([verdict.passed, failed(verdict)]).toEqual([true, []]);
  });

  it('fails an adapter that repeats itself, whatever its loss', async () => {
    const { verdict, pairs } = await judged(scorer(withAnswer(2, looping), -0.1));
    expect([verdict.passed, failed(verdict)]).toEqual([false, ['degenerate']]);
    expect(pairs[0]).toMatchObject({ prompt: 'question 2', degenerate: true });
  });

  it('does not blame an adapter for what its base does', async () => {
    const loops = withAnswer(2, looping);
    expect((await judged(scorer(loops), { base: scorer(loops, -2) })).verdict.passed).toBe(true);
  });

  it('fails an adapter that lost more of its keep set than allowed', async () => {
    const kept = Array.from({ length: 100 }, (_, id) => example(id, 'yes'));
    const known = (count: number): GreedyAnswer[] => kept.map((_, id) => answer(id < count ? 'yes' : 'no'));
    const lost = async (count: number, points?: number) =>
      failed(
        (
          await judged(scorer(known(count)), {
            base: scorer(known(84), -2),
            judged: [],
            kept,
            gate: points === undefined ? {} : { keep_points: points },
          })
        ).verdict,
      );
    expect([await lost(81), await lost(80)]).toEqual([[], ['keep_set']]);
    expect([await lost(77, 7), await lost(76, 7)]).toEqual([[], ['keep_set']]);
  });

  it('fails an adapter whose loss on held-out examples rose', async () => {
    expect(failed((await judged(scorer(right, -3))).verdict)).toEqual(['held_loss']);
  });

  it('leaves out what it is told to, and decides nothing by what is missing', async () => {
    const { verdict } = await judged(scorer(withAnswer(2, looping), -3), { gate: { held_loss: false, degenerate: false } });
    expect(verdict.passed).toBe(true);
    expect(verdict.checks.find(({ check }) => check === 'keep_set')?.passed).toBe(null);
  });

  it('of preferences asks whether more of the chosen answers are preferred', async () => {
    const objective = (before: number, after: number): Objective => ({
      measure: (scoring) => Promise.resolve({ loss: 0.5, preferred: scoring === adapter ? after : before }),
    });
    const adapter = scorer(right);
    const check = async (before: number, after: number) => {
      const { verdict } = await judged(adapter, { held: [], objective: objective(before, after) });
      return verdict.checks.find(({ check: name }) => name === 'preferred');
    };
    expect(await check(1, 3)).toMatchObject({ passed: true, base: 25, adapter: 75 });
    expect(await check(2, 2)).toMatchObject({ passed: false });
    expect(await check(4, 4)).toMatchObject({ passed: true });
  });
});
