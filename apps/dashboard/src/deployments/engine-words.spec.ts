import { EngineOutcome } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { type EngineTest, engineWords } from './engine-words.js';

const test = (rest: Partial<EngineTest>): EngineTest => ({
  host: 'node-1',
  outcome: 'answers',
  detail: null,
  server: 'vllm',
  context: 32_768,
  models: ['qwen3'],
  ms: 12,
  ...rest,
});

describe('what a worker found at an engine', () => {
  it('is worded, with something to do wherever something is wrong', () => {
    for (const outcome of [...EngineOutcome.options, 'silent'] as const) {
      const { look, advice, text } = engineWords(test({ outcome }));
      expect([outcome, look === 'good', advice === null]).toEqual([outcome, outcome === 'answers', outcome === 'answers']);
      expect(text).toMatch(/\.$/);
    }
  });

  it('names the server and its context', () => {
    expect(engineWords(test({})).text).toBe('vLLM answers, has the model and takes 32,768 tokens of context.');
    expect(engineWords(test({ server: 'other', context: null })).text).toBe('An engine answers and has the model.');
  });

  it('promises no model where the engine tells none', () => {
    expect(engineWords(test({ models: null }))).toMatchObject({ look: 'warn', text: 'vLLM answers, but tells no models.' });
    expect(engineWords(test({ outcome: 'model_unknown', models: [] })).advice).toContain('no model at all');
  });
});
