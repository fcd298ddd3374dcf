import { describe, expect, it } from 'vitest';
import { read, user } from './request.samples.js';

const text = (content: string) => [{ type: 'text', text: content }];

describe('a chat request', () => {
  it('of model and messages sets nothing else', () => {
    expect(read()).toEqual({
      canonical: { messages: [{ role: 'user', content: text('Hello') }], sampling: {}, stop: [] },
      stream: false,
      usage: 'none',
      choices: 1,
      logprobs: false,
      oneCall: false,
      affinity: undefined,
      names: {},
    });
  });

  it.each(['deployment-1', 'demo', 'acme/demo'])('may name its deployment %s', (model) => {
    expect(read({ model }).canonical.messages).toHaveLength(1);
  });

  it('hands on every sampling field under its own name', () => {
    const sampling = {
      temperature: 0.7,
      top_p: 0.9,
      top_k: 40,
      min_p: 0.05,
      seed: 7,
      frequency_penalty: -1,
      presence_penalty: 1,
      repetition_penalty: 1.1,
      logit_bias: { 50256: -100 },
      min_tokens: 2,
      ignore_eos: true,
      stop_token_ids: [2, 7],
    };
    expect(read({ ...sampling, max_tokens: 9 }).canonical.sampling).toEqual(sampling);
  });

  it('takes null for absent in every field', () => {
    const names = [
      'temperature',
      'top_p',
      'n',
      'stop',
      'seed',
      'tools',
      'stream',
      'stream_options',
      'max_tokens',
      'logprobs',
      'response_format',
      'user',
    ];
    expect(read(Object.fromEntries(names.map((name) => [name, null])))).toEqual(read());
  });

  it.each([
    [{ max_tokens: 5 }, 5],
    [{ max_completion_tokens: 6 }, 6],
    [{ max_tokens: 5, max_completion_tokens: 6 }, 6],
    [{ max_tokens: 1e15 }, 4096],
    [{}, undefined],
  ])('with %j generates at most %s tokens', (fields, expected) => {
    expect(read(fields).canonical.max_tokens).toBe(expected);
  });

  it.each([
    ['a', ['a']],
    [
      ['a', 'b', 'c', 'd'],
      ['a', 'b', 'c', 'd'],
    ],
    [[], []],
    [null, []],
  ])('with stop %j stops at %j', (stop, expected) => {
    expect(read({ stop }).canonical.stop).toEqual(expected);
  });

  it.each([
    [0, 0],
    [-1, 4_294_967_295],
    [4_294_967_296, 0],
    [9_223_372_036_854_775_807, 0],
  ])('with seed %d samples under %d', (seed, expected) => {
    expect(read({ seed }).canonical.sampling.seed).toBe(expected);
  });

  it('with an empty nucleus takes the most probable token', () => {
    expect(read({ top_p: 0, temperature: 1 }).canonical.sampling).toEqual({ temperature: 0 });
  });

  it.each([-1, 0])('with top_k %d switches it off', (topK) => {
    expect(read({ top_k: topK }).canonical.sampling.top_k).toBe(0);
  });

  it('keeps order and names, and maps developers to system', () => {
    const messages = [
      { role: 'system', content: 'a' },
      { role: 'developer', content: 'b' },
      user,
      { role: 'assistant', content: 'c', name: 'bot' },
      { role: 'user', content: '' },
    ];
    expect(read({ messages }).canonical.messages).toEqual([
      { role: 'system', content: text('a') },
      { role: 'system', content: text('b') },
      { role: 'user', content: text('Hello') },
      { role: 'assistant', content: text('c'), name: 'bot' },
      { role: 'user', content: text('') },
    ]);
  });

  it('joins text parts in order', () => {
    const content = [
      { type: 'text', text: 'one ' },
      { type: 'text', text: 'two' },
    ];
    expect(read({ messages: [{ role: 'user', content }] }).canonical.messages[0]?.content).toEqual(text('one two'));
  });

  it('asks for usage in a stream', () => {
    expect(read({ stream: true, stream_options: { include_usage: true } })).toMatchObject({ stream: true, usage: 'last' });
    expect(read({ stream: true, stream_options: { include_usage: null } })).toMatchObject({ usage: 'none' });
    expect(read({ stream: true, stream_options: { include_usage: true, continuous_usage_stats: true } })).toMatchObject({ usage: 'each' });
    expect(read({ stream: true, stream_options: { continuous_usage_stats: true } })).toMatchObject({ usage: 'none' });
  });

  it('keeps together by the client’s own key', () => {
    expect(read({ prompt_cache_key: 'user-7' }).affinity).toBe('user-7');
  });

  it('never passes on an unknown field', () => {
    const fields = {
      foo: 1,
      n_predict: -1,
      id_slot: 3,
      cache_prompt: false,
      priority: 9,
      metadata: { a: 'b' },
      store: true,
      service_tier: 'auto',
      verbosity: 'low',
      parallel_tool_calls: true,
      modalities: ['text'],
      tools: [],
      tool_choice: 'auto',
      response_format: { type: 'text' },
      logprobs: false,
      n: 1,
      min_tokens: 0,
      ignore_eos: false,
      stop_token_ids: [],
      chat_template_kwargs: {},
      structured_outputs: {},
      continue_final_message: false,
      add_generation_prompt: true,
      include_reasoning: false,
      thinking_token_budget: 5,
      request_id: 'x',
      cache_salt: 'y',
      bad_words: [],
      lora: [],
    };
    expect(read({ ...fields, max_tokens: 5 })).toEqual(read({ max_tokens: 5 }));
  });

  it('sets choices, probabilities and effort for every engine', () => {
    expect(read({ n: 2, logprobs: true }).canonical).toMatchObject({ n: 2, logprobs: 0 });
    expect(read({ logprobs: true, top_logprobs: 5, reasoning_effort: 'low' }).canonical).toMatchObject({
      logprobs: 5,
      reasoning: { effort: 'low' },
    });
  });

  it('passes on template arguments and continuation', () => {
    const args = { enable_thinking: false, style: 'brief', level: 2 };
    expect(read({ chat_template_kwargs: { ...args, none: null } }).canonical.template_args).toEqual(args);
    const messages = [user, { role: 'assistant', content: 'Once' }];
    expect(read({ messages, continue_final_message: true, add_generation_prompt: false }).canonical.continue_final).toBe(true);
    expect(read({ messages }).canonical).not.toHaveProperty('continue_final');
  });
});
