import type { MeasureView, TrainerBase } from '@slipway/contracts';
import { PLACES } from '@slipway/datasets';
import { describe, expect, it } from 'vitest';
import { type ResolveFrom, resolveSettings } from './resolve-settings.js';

const hash = 'a'.repeat(64);
const base: TrainerBase = {
  ...{ base: 'tiny', path: '/tiny.gguf', architecture: 'qwen3', parameters: null, context: 4_096, bytes: 1 },
  ...{ sha256: hash, template_sha256: hash, tokenizer_sha256: hash, pace: null },
};
const from = (more: Partial<ResolveFrom> = {}): ResolveFrom => ({
  ...{
    given: {},
    trainer: 'embedded',
    base,
    kind: 'sft',
    examples: 1_000,
    duplicates: 0,
    bytes: 400_000,
    measure: null,
    timeLimitS: 60,
    split: null,
  },
  ...more,
});
const codes = (more: Partial<ResolveFrom>): string[] => resolveSettings(from(more)).warnings.map(({ code }) => code);

describe('settings of a training', () => {
  it('are those of the trainer where none are given', () => {
    expect(resolveSettings(from()).spec).toMatchObject({ rank: 16, alpha: 32, learning_rate: 1e-4, epochs: 2, seed: 1, held_out: 0.1 });
    expect(resolveSettings(from({ trainer: 'torch' })).spec).toMatchObject({ rank: 16, alpha: 32, learning_rate: 2e-4, epochs: 2 });
  });

  it('take a higher rate of torch for small bases, and more examples a step for large sets', () => {
    const small = { ...base, parameters: 2_000_000 };
    expect(resolveSettings(from({ trainer: 'torch', base: small })).spec).toMatchObject({ learning_rate: 1e-3, batch: 16 });
    const batches = [30, 50, 500].map((examples) => resolveSettings(from({ trainer: 'torch', examples })).spec.batch);
    expect(batches).toEqual([1, 4, 16]);
    expect(resolveSettings(from({ trainer: 'mine' })).spec.batch).toBe(1);
    expect(resolveSettings(from({ given: { batch: 8 } })).spec.batch).toBe(1);
  });

  it('of preferences have a beta and a lower rate', () => {
    const { spec } = resolveSettings(from({ trainer: 'torch', kind: 'preference' }));
    expect(spec).toMatchObject({ method: 'dpo', beta: 0.1, learning_rate: 5e-5 });
    expect(resolveSettings(from({ trainer: 'torch' })).spec.beta).toBeUndefined();
  });

  it('have more epochs for fewer examples', () => {
    const epochs = [30, 49, 50, 499, 500].map((examples) => resolveSettings(from({ examples })).spec.epochs);
    expect(epochs).toEqual([8, 8, 4, 4, 2]);
  });

  it('hold out a tenth, at least 5 and at most 500 examples', () => {
    const held = [50, 60, 1_000, 100_000].map((examples) => resolveSettings(from({ examples })).heldOut);
    expect(held).toEqual([5, 6, 100, 500]);
  });

  it('hold out what the first version of the data set held out', () => {
    const split = { below: PLACES / 20, learned: [7, 8] };
    const { spec, heldOut, learned } = resolveSettings(from({ examples: 2_002, split }));
    expect(spec).toMatchObject({ held_out: 0.05, learned: [7, 8] });
    expect([heldOut, learned]).toEqual([100, 1_902]);
    expect(resolveSettings(from({ examples: 20_000, split })).heldOut).toBe(500);
    expect(resolveSettings(from({ given: { held_out: 0.2 }, split })).spec).not.toHaveProperty('learned');
  });

  it('learn every prompt where all versions are small', () => {
    const split = { below: null, learned: [7] };
    expect(resolveSettings(from({ examples: 200, split })).spec.held_out).toBe(0);
  });

  it('learn every example of a small data set', () => {
    expect([1, 30, 49].map((examples) => resolveSettings(from({ examples })).heldOut)).toEqual([0, 0, 0]);
  });

  it('say which of them was given', () => {
    const { settings, steps } = resolveSettings(from({ given: { epochs: 3, held_out: 0 }, examples: 10 }));
    expect(settings).toContainEqual({ name: 'epochs', value: 3, reason: 'Given.' });
    expect(steps).toBe(30);
  });

  it('leave out what is too long for the base, and count what is learned', () => {
    const measure = { learned_tokens: 2_000, over_context: 200 } as MeasureView;
    const resolved = resolveSettings(from({ measure, given: { epochs: 1, held_out: 0 } }));
    expect(resolved).toMatchObject({ leftOut: 200, learned: 800, steps: 800, learnedTokens: 1_600 });
  });

  it('come with warnings about what was seen to go wrong', () => {
    expect(codes({ given: { learning_rate: 1e-3, rank: 64 } })).toEqual(['rank_high', 'rate_high', 'not_counted']);
    expect(codes({ examples: 8, duplicates: 5 })).toEqual(['none_held_out', 'too_few', 'repeats', 'not_counted']);
  });
});
