import { describe, expect, it } from 'vitest';
import { viewOf } from './measure-run.js';
import { TermFence } from './term-fence.js';

describe('TermFence', () => {
  it('takes newer assignments, and the same again', () => {
    const fence = new TermFence();
    expect([fence.admits(1, 1), fence.admits(1, 2), fence.admits(1, 2), fence.admits(2, 1)]).toEqual([true, true, true, true]);
    expect(fence.applied).toEqual({ term: 2, no: 1 });
  });

  it('refuses older ones of the same term and of a lower one', () => {
    const fence = new TermFence();
    fence.admits(2, 5);
    expect([fence.admits(2, 4), fence.admits(1, 9)]).toEqual([false, false]);
  });

  it('takes a lower term after 30 s of silence: its database was restored', () => {
    const fence = new TermFence();
    fence.admits(7, 1);
    for (let second = 0; second < 30; second += 1) fence.tick();
    expect(fence.admits(3, 1)).toBe(true);
    expect(fence.applied).toEqual({ term: 3, no: 1 });
  });
});

describe('viewOf', () => {
  const base = { base: 'tiny', context: 100 };
  const counts = { tokens: 220, learnedTokens: 50, lengths: [10, 20, 30, 40, 120], overContext: 1 };
  const whole = { examples: 5, counted: 5 };

  it('counts every example in one bucket', () => {
    const view = viewOf({ ...whole, ...counts }, base);
    expect(view).toMatchObject({ tokens: 220, exact: true, low: 220, high: 220, p50: 30, p99: 120, longest: 120, over_context: 1 });
    expect(view.histogram.reduce((sum, { examples }) => sum + examples, 0)).toBe(5);
    expect(view.histogram.at(-1)?.upto).toBeGreaterThanOrEqual(120);
  });

  it('stands for the whole data set where a sample was counted', () => {
    const view = viewOf({ examples: 50, counted: 5, ...counts }, base);
    expect(view).toMatchObject({ exact: false, tokens: 2_200, learned_tokens: 500, over_context: 10, longest: 120 });
    expect(view.low).toBeLessThan(2_200);
    expect(view.high).toBeGreaterThan(2_200);
    expect(view.histogram.reduce((sum, { examples }) => sum + examples, 0)).toBe(50);
  });

  it('is empty for no examples', () => {
    expect(viewOf({ examples: 0, counted: 0, tokens: 0, learnedTokens: 0, lengths: [], overContext: 0 }, base)).toMatchObject({
      longest: 0,
      histogram: [],
    });
  });
});
