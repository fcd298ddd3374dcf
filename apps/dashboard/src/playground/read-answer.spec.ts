import { describe, expect, it } from 'vitest';
import { canGoOn, NO_ANSWER } from './conversation.js';
import { readEvent } from './read-answer.js';
import { SseParser } from './exchange.js';

const chat = (...events: readonly unknown[]): typeof NO_ANSWER =>
  events.reduce<typeof NO_ANSWER>(
    (answer, event) => readEvent('chat', answer, typeof event === 'string' ? event : JSON.stringify(event)),
    NO_ANSWER,
  );
const messages = (...events: readonly unknown[]): typeof NO_ANSWER =>
  events.reduce<typeof NO_ANSWER>((answer, event) => readEvent('messages', answer, JSON.stringify(event)), NO_ANSWER);
const responses = (...events: readonly unknown[]): typeof NO_ANSWER =>
  events.reduce<typeof NO_ANSWER>((answer, event) => readEvent('responses', answer, JSON.stringify(event)), NO_ANSWER);
const delta = (fields: object, finish: string | null = null): object => ({ choices: [{ index: 0, delta: fields, finish_reason: finish }] });

describe('server-sent events', () => {
  const STREAM = ': waiting\n\ndata: {"a":1}\n\nevent: ping\ndata: one\ndata: two\r\n\r\ndata:[DONE]\n\n';

  it('are the same however the bytes are cut', () => {
    const whole = new SseParser().push(STREAM);
    expect(whole).toEqual(['{"a":1}', 'one\ntwo', '[DONE]']);
    for (let size = 1; size < STREAM.length; size += 1) {
      const parser = new SseParser();
      const events: string[] = [];
      for (let at = 0; at < STREAM.length; at += size) events.push(...parser.push(STREAM.slice(at, at + size)));
      expect(events, `pieces of ${size}`).toEqual(whole);
    }
  });

  it('that are cut off are none', () => {
    expect(new SseParser().push('data: half\n')).toEqual([]);
    expect(new SseParser().push('data-x: 1\n\n')).toEqual([]);
  });
});

describe('a chat answer', () => {
  it('is put together of text, reasoning, calls and counts', () => {
    const answer = chat(
      delta({ role: 'assistant', content: '' }),
      delta({ reasoning_content: 'Hm.' }),
      delta({ content: 'Let me ' }),
      delta({ content: 'look.' }),
      delta({ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: '' } }] }),
      delta({ tool_calls: [{ index: 0, function: { arguments: '{"a"' } }] }),
      delta({ tool_calls: [{ index: 0, function: { arguments: ':1}' } }] }),
      delta({}, 'tool_calls'),
      { choices: [], usage: { prompt_tokens: 9, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 4 } } },
      '[DONE]',
    );
    expect(answer).toEqual({
      text: 'Let me look.',
      reasoning: 'Hm.',
      calls: [{ id: 'call_1', name: 'f', args: '{"a":1}' }],
      finish: 'tool_calls',
      usage: { prompt: 9, cached: 4, completion: 5 },
      pieces: 6,
      isWhole: true,
      error: null,
    });
  });

  it('that ends with an error says it, and keeps what came', () => {
    expect(chat(delta({ content: 'half' }), { error: { message: 'The worker was lost.' } })).toMatchObject({
      text: 'half',
      error: 'The worker was lost.',
      isWhole: false,
    });
    expect(chat('{').error).toMatch(/cannot be read/);
  });
});

describe('a messages answer', () => {
  it('is put together of blocks', () => {
    const answer = messages(
      { type: 'message_start', message: { usage: { input_tokens: 5, cache_read_input_tokens: 4, output_tokens: 0 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm.' } },
      { type: 'ping' },
      { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Hi' } },
      { type: 'content_block_start', index: 2, content_block: { type: 'tool_use', id: 'a', name: 'f', input: {} } },
      { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '{}' } },
      { type: 'content_block_start', index: 3, content_block: { type: 'tool_use', id: 'b', name: 'g', input: {} } },
      { type: 'content_block_delta', index: 3, delta: { type: 'input_json_delta', partial_json: '{"x":2}' } },
      {
        type: 'message_delta',
        delta: { stop_reason: 'tool_use' },
        usage: { input_tokens: 5, cache_read_input_tokens: 4, output_tokens: 7 },
      },
      { type: 'message_stop' },
    );
    expect(answer).toMatchObject({
      text: 'Hi',
      reasoning: 'Hm.',
      calls: [
        { id: 'a', name: 'f', args: '{}' },
        { id: 'b', name: 'g', args: '{"x":2}' },
      ],
      finish: 'tool_use',
      usage: { prompt: 9, cached: 4, completion: 7 },
      isWhole: true,
    });
  });

  it('that ends with an error event says it', () => {
    expect(messages({ type: 'error', error: { type: 'api_error', message: 'Lost.' } }).error).toBe('Lost.');
  });
});

describe('a responses answer', () => {
  it('is put together of items', () => {
    const answer = responses(
      { type: 'response.created', response: { status: 'in_progress', usage: null } },
      { type: 'response.output_item.added', item: { type: 'reasoning', summary: [] } },
      { type: 'response.reasoning_summary_text.delta', delta: 'Hm.' },
      { type: 'keepalive' },
      { type: 'response.output_item.added', item: { type: 'message', content: [] } },
      { type: 'response.output_text.delta', delta: 'Hi' },
      { type: 'response.output_item.added', item: { type: 'function_call', call_id: 'a', name: 'f', arguments: '' } },
      { type: 'response.function_call_arguments.delta', delta: '{"x":' },
      { type: 'response.function_call_arguments.delta', delta: '2}' },
      {
        type: 'response.completed',
        response: { status: 'completed', usage: { input_tokens: 9, input_tokens_details: { cached_tokens: 4 }, output_tokens: 7 } },
      },
    );
    expect(answer).toMatchObject({
      ...{ text: 'Hi', reasoning: 'Hm.', calls: [{ id: 'a', name: 'f', args: '{"x":2}' }] },
      ...{ finish: 'completed', usage: { prompt: 9, cached: 4, completion: 7 }, isWhole: true },
    });
  });

  it('that is cut by a limit names it', () => {
    const response = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' }, usage: null };
    expect(responses({ type: 'response.incomplete', response })).toMatchObject({ finish: 'max_output_tokens', isWhole: true });
  });

  it('that ends with an error event says it', () => {
    const message = 'The worker was lost.';
    expect(responses({ type: 'error', code: 'worker_lost', message, error: { message } })).toMatchObject({
      error: message,
      isWhole: false,
    });
  });
});

describe('a conversation', () => {
  it('goes on from what a model said, and not from half a call or from nothing', () => {
    const call = { id: 'a', name: 'f', args: '{"a' };
    expect(canGoOn({ ...NO_ANSWER, text: 'half' })).toBe(true);
    expect(canGoOn({ ...NO_ANSWER, calls: [call] })).toBe(false);
    expect(canGoOn({ ...NO_ANSWER, calls: [call], isWhole: true })).toBe(true);
    expect(canGoOn(NO_ANSWER)).toBe(false);
  });
});
