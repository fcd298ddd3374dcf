import { EngineOutcome } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { type EngineTest, engineWords, listedModels, workerNames } from './engine-words.js';

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
      const { look, advice, text } = engineWords(test({ outcome, models: outcome === 'model_unknown' ? ['other'] : ['qwen3'] }), 'qwen3');
      expect([outcome, look === 'good', advice === null]).toEqual([outcome, outcome === 'answers', outcome === 'answers']);
      expect(text).toMatch(/\.$/);
    }
  });

  it('names the server, its context and how many models', () => {
    expect(engineWords(test({}), 'qwen3').text).toBe('vLLM answers and has the model, up to 32,768 tokens of context.');
    expect(engineWords(test({ dimensions: 768, context: null }), 'qwen3').text).toBe(
      'vLLM answers and has the model, which makes embeddings of 768 numbers.',
    );
    expect(engineWords(test({ server: 'other', context: null }), '').text).toBe('The engine answers and lists 1 model.');
  });

  it('promises no model that the engine does not list', () => {
    expect(engineWords(test({ models: null }), '')).toMatchObject({ look: 'warn', text: 'vLLM answers and lists no models.' });
    expect(engineWords(test({ models: [] }), '').advice).toBe('Load a model there.');
    expect(engineWords(test({}), 'wrong')).toMatchObject({ look: 'warn', text: 'vLLM answers, but does not list “wrong”.' });
  });
});

describe('the findings of several workers', () => {
  it('give each model once', () => {
    expect(listedModels([test({ models: ['a', 'b'] }), test({ models: null }), test({ models: ['b', 'c'] })])).toEqual(['a', 'b', 'c']);
  });

  it('name workers of one host apart', () => {
    const agent = 'agent-123456' as EngineTest['agent'];
    expect(workerNames([test({}), test({ host: 'node-2' })])).toEqual(['node-1', 'node-2']);
    expect(workerNames([test({ agent }), test({})])).toEqual(['node-1 (123456)', 'node-1 (worker 2)']);
  });
});
