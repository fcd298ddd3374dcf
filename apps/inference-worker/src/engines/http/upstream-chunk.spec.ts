import { describe, expect, it } from 'vitest';
import { BrokenStreamError } from './sse-reader.js';
import { readChunk } from './upstream-chunk.js';

const chunk = (choice: unknown, more: Record<string, unknown> = {}) => readChunk(JSON.stringify({ choices: [choice], ...more }));

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
  ])('takes %s for a chunk without text', (_name, choice) => {
    expect(chunk(choice)).toMatchObject({ text: '', think: '', finish: null, error: false });
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
    // A usage that cannot be read is none, but leads past the reading by hand.
    const bySchema = (choice: object) => chunk(choice, { usage: 'unreadable' });
    for (const more of [{}, { finish_reason: null, stop_reason: null }]) {
      const choice = { index: 0, delta, ...more };
      expect(chunk(choice)).toEqual(bySchema(choice));
    }
  });

  it('reads usage on any chunk, and forgives what it cannot read of it', () => {
    const usage = { prompt_tokens: 5, completion_tokens: 2, prompt_tokens_details: null };
    expect(readChunk(JSON.stringify({ choices: [], usage })).usage).toMatchObject({ prompt_tokens: 5, completion_tokens: 2 });
    expect(readChunk(JSON.stringify({ choices: [], usage: { prompt_tokens: 'x' } })).usage).toMatchObject({ prompt_tokens: null });
    expect(readChunk(JSON.stringify({ choices: [], usage: 'x' })).usage).toBeNull();
    expect(readChunk('{"choices":[]}').usage).toBeNull();
  });

  it.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['content_filter', 'content_filter'],
    ['tool_calls', 'stop'],
    ['eos', 'stop'],
    ['constructor', 'stop'],
    ['abort', 'failed'],
    ['error', 'failed'],
  ])('maps finish_reason %s to %s', (reason, finish) => {
    expect(chunk({ index: 0, delta: {}, finish_reason: reason }).finish).toBe(finish);
  });

  it('hears which stop string was met from those who tell', () => {
    expect(chunk({ index: 0, finish_reason: 'stop', stop_reason: 'END' }).stop).toBe('END');
    expect(chunk({ index: 0, finish_reason: 'stop', matched_stop: 'END' }).stop).toBe('END');
    expect(chunk({ index: 0, finish_reason: 'stop', stop_reason: 151_645 }).stop).toBeNull();
  });

  it('looks at the first choice only', () => {
    const data = JSON.stringify({
      choices: [
        { index: 1, delta: { content: 'other' } },
        { index: 0, delta: { content: 'ours' } },
      ],
    });
    expect(readChunk(data).text).toBe('ours');
  });

  it('sees an error in mid-stream, and none in a null', () => {
    expect(readChunk('{"error":{"message":"x","code":500}}').error).toBe(true);
    expect(readChunk('{"error":"out of memory"}').error).toBe(true);
    expect(readChunk('{"choices":[],"error":null}').error).toBe(false);
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
  ])('refuses %j as broken', (data) => {
    expect(() => readChunk(data)).toThrow(BrokenStreamError);
  });
});
