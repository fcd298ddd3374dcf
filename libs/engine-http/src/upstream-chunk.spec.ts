import { describe, expect, it } from 'vitest';
import { BrokenStreamError } from './sse-reader.js';
import { readChunk } from './upstream-chunk.js';

const read = (choice: unknown, more: Record<string, unknown> = {}) => readChunk(JSON.stringify({ choices: [choice], ...more }));
const chunk = (choice: unknown, more: Record<string, unknown> = {}) => read(choice, more).choices[0]!;

describe('readChunk', () => {
  it('reads text, reasoning under both of its names, and refusals', () => {
    expect(chunk({ index: 0, delta: { content: 'x' } })).toMatchObject({ text: 'x', think: '', finish: null });
    expect(chunk({ index: 0, delta: { reasoning_content: 'r' } })).toMatchObject({ text: '', think: 'r' });
    expect(chunk({ index: 0, delta: { reasoning: 'r' } })).toMatchObject({ think: 'r' });
    expect(chunk({ index: 0, delta: { content: '', refusal: 'No.' } })).toMatchObject({ text: 'No.' });
  });

  it.each([
    ['null content', { index: 0, delta: { content: null } }],
    ['a role alone', { index: 0, delta: { role: 'assistant' } }],
    ['no delta', { index: 0, delta: null }],
    ['no index', { delta: {} }],
    ['unknown fields', { index: 0, delta: { foo: [1] }, logprobs: null, bar: {} }],
    ['an empty finish_reason', { index: 0, delta: {}, finish_reason: '' }],
    ['an empty finish_reason beside calls', { index: 0, delta: { tool_calls: [] }, finish_reason: '', matched_stop: [] }],
  ])('takes %s for a chunk without text', (_name, choice) => {
    expect(chunk(choice)).toMatchObject({ text: '', think: '', calls: [], logprobs: null, finish: null });
  });

  it.each([
    { content: 'x' },
    { content: 'x', role: 'assistant', refusal: null },
    { content: 'x', refusal: 5 },
    { content: 'x', reasoning: ['r'] },
    { content: 'x', reasoning_content: 'r' },
    { content: null, reasoning: 'r' },
    { content: '', refusal: 'No.' },
    {},
  ])('reads the delta %j the same by hand and by the schema', (delta) => {
    // A stop string that is no text is none, but leads past the reading by hand.
    const bySchema = (choice: object) => chunk({ ...choice, matched_stop: [] });
    for (const more of [{}, { finish_reason: null, stop_reason: null }, { finish_reason: '' }]) {
      const choice = { index: 0, delta, ...more };
      expect(chunk(choice)).toEqual(bySchema(choice));
    }
  });

  it('reads usage on any chunk, and forgives what it cannot read of it', () => {
    const usage = { prompt_tokens: 5, completion_tokens: 2, prompt_tokens_details: null };
    const reported = { prompt: 5, completion: 2, cached: null, reasoning: null };
    expect(readChunk(JSON.stringify({ choices: [], usage })).usage).toEqual(reported);
    expect(read({ index: 0, delta: { content: 'x' } }, { usage }).usage).toEqual(reported);
    expect(readChunk(JSON.stringify({ choices: [], usage: { prompt_tokens: 'x', completion_tokens: -1 } })).usage).toMatchObject({
      prompt: null,
      completion: null,
    });
    expect(readChunk(JSON.stringify({ choices: [], usage: 'x' })).usage).toBeNull();
    expect(readChunk('{"choices":[],"usage":null}').usage).toBeNull();
  });

  it('reads what was cached and what was reasoning, wherever a server puts it', () => {
    const openai = { prompt_tokens_details: { cached_tokens: 4 }, completion_tokens_details: { reasoning_tokens: 3 } };
    expect(readChunk(JSON.stringify({ choices: [], usage: openai })).usage).toMatchObject({ cached: 4, reasoning: 3 });
    expect(readChunk(JSON.stringify({ choices: [], usage: { reasoning_tokens: 2 } })).usage).toMatchObject({ reasoning: 2 });
    const timings = { cache_n: 10, prompt_n: 2, predicted_n: 7 };
    expect(read({ index: 0, delta: { content: 'x' } }, { timings }).usage).toEqual({
      prompt: 12,
      cached: 10,
      completion: 7,
      reasoning: null,
    });
  });

  it('reads pieces of calls, also arguments as an object', () => {
    const calls = [
      { index: 1, id: 'a', type: 'function', function: { name: 'f', arguments: '{' } },
      { function: { arguments: { x: [1] } } },
      { index: 0, id: null, function: { name: null } },
      {},
    ];
    expect(chunk({ index: 0, delta: { content: '', tool_calls: calls } })).toMatchObject({
      text: '',
      calls: [
        { index: 1, id: 'a', name: 'f', args: '{' },
        { index: null, id: '', name: '', args: '{"x":[1]}' },
        { index: 0, id: '', name: '', args: '' },
        { index: null, id: '', name: '', args: '' },
      ],
    });
  });

  it('takes an empty or absent list of calls beside text for nothing', () => {
    for (const calls of [[], null])
      expect(chunk({ index: 0, delta: { content: 'x', tool_calls: calls } })).toMatchObject({ text: 'x', calls: [] });
  });

  it.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['content_filter', 'content_filter'],
    ['tool_calls', 'tool_calls'],
    ['function_call', 'tool_calls'],
    ['eos', 'stop'],
    ['constructor', 'stop'],
    ['abort', 'failed'],
    ['error', 'failed'],
  ])('maps finish_reason %s to %s', (reason, finish) => {
    expect(chunk({ index: 0, delta: {}, finish_reason: reason }).finish).toBe(finish);
  });

  it('reads which stop string ended the choice', () => {
    expect(chunk({ index: 0, finish_reason: 'stop', stop_reason: 'END' }).stop).toBe('END');
    expect(chunk({ index: 0, finish_reason: 'stop', matched_stop: 'END' }).stop).toBe('END');
    expect(chunk({ index: 0, finish_reason: 'stop', stop_reason: 151_645 }).stop).toBeNull();
  });

  it('reads every choice, in the order of the chunk', () => {
    const choices = [
      { index: 1, delta: { content: 'other' } },
      { index: 0, delta: { content: 'ours' } },
    ];
    expect(readChunk(JSON.stringify({ choices })).choices).toMatchObject([
      { index: 1, text: 'other' },
      { index: 0, text: 'ours' },
    ]);
    expect(chunk({ index: 3, delta: { content: 'x' } })).toMatchObject({ index: 3, text: 'x' });
  });

  it('sees an error in mid-stream, and none in a null', () => {
    expect(readChunk('{"error":{"message":"x","code":500}}').error).toMatchObject({ code: 500 });
    expect(readChunk('{"error":"out of memory"}').error).toBe('out of memory');
    expect(readChunk('{"choices":[],"error":null}').error).toBeNull();
  });

  it.each([
    '',
    '{',
    'null',
    '"x"',
    '[]',
    '{"choices":"x"}',
    '{"choices":[{"delta":{"content":5}}]}',
    '{"choices":[{"delta":{"content":["x"]}}]}',
    '{"choices":[{"index":0,"delta":{"tool_calls":[{"function":{"arguments":[1]}}]}}]}',
    '{"choices":[{"index":0,"delta":{"tool_calls":"x"}}]}',
  ])('refuses %j as broken', (data) => {
    expect(() => readChunk(data)).toThrow(BrokenStreamError);
  });
});
