import { ServiceError, type StreamEvent } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import type { MessagesWriterOptions } from './events.js';
import { args, call, endOf, fin, start, text, think, writer } from './events.samples.js';

describe('a message that is not streamed', () => {
  const documentOf = (events: StreamEvent[], answer: Partial<MessagesWriterOptions> = {}, end = endOf()): unknown => {
    const w = writer(answer);
    for (const one of events) w.collect([one]);
    return JSON.parse(w.document(end));
  };
  const whole = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'deployment-1',
    content: [{ type: 'text', text: 'Hello' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    stop_details: null,
    usage: { input_tokens: 4, output_tokens: 3, cache_creation_input_tokens: 0, cache_read_input_tokens: 3 },
  };

  it('has exactly the fields of the contract', () => {
    expect(documentOf([start, text('Hel'), text('lo'), fin()])).toEqual(whole);
  });

  it('has whole characters only, never halves', () => {
    expect(documentOf([start, text('a\ud83d'), text('\ude00'), text('\ud83d'), fin()])).toMatchObject({ content: [{ text: 'a😀\ufffd' }] });
  });

  it('of nothing has no content', () => {
    expect(documentOf([start, fin()])).toEqual({ ...whole, content: [] });
  });

  it.each<[MessagesWriterOptions['thinking'], object[]]>([
    ['shown', [{ type: 'thinking', thinking: 'hm', signature: '' }]],
    ['omitted', [{ type: 'thinking', thinking: '', signature: '' }]],
    ['dropped', []],
  ])('has thoughts %s', (thinking, blocks) => {
    expect(documentOf([think('h'), think('m'), text('Hello'), fin()], { thinking })).toEqual({
      ...whole,
      content: [...blocks, { type: 'text', text: 'Hello' }],
    });
  });

  it('reports a refusal of the model', () => {
    expect(documentOf([fin('content_filter')])).toMatchObject({
      stop_reason: 'refusal',
      stop_details: { type: 'refusal', category: null, explanation: null },
    });
  });

  it('for no tokens is empty', () => {
    const usageOfNone = { ...whole.usage, output_tokens: 0 };
    expect(documentOf([start, text('a'), fin('length')], { maxTokens: 0 }, endOf(1))).toEqual({
      ...whole,
      content: [],
      stop_reason: 'max_tokens',
      usage: usageOfNone,
    });
  });

  it('has call inputs as objects', () => {
    const events = [start, text('a'), call(0), args(0, '{"q"'), args(0, ':1}'), call(1), text('b'), fin('stop')];
    expect(documentOf(events)).toMatchObject({
      content: [
        { type: 'text', text: 'a' },
        { type: 'tool_use', id: 'c0', name: 'look', input: { q: 1 } },
        { type: 'tool_use', id: 'c1', name: 'look', input: {} },
        { type: 'text', text: 'b' },
      ],
      stop_reason: 'tool_use',
    });
  });

  it('fails for broken arguments, omits cut calls', () => {
    expect(() => documentOf([start, call(0), args(0, '{"q'), fin('tool_calls')])).toThrow(
      expect.objectContaining({ code: 'engine_error' }),
    );
    expect(documentOf([start, text('a'), call(0), args(0, '{"q'), fin('length')])).toMatchObject({
      content: [{ type: 'text', text: 'a' }],
      stop_reason: 'max_tokens',
    });
  });

  it('reports thinking tokens where the engine does', () => {
    expect(documentOf([start, fin()], {}, endOf(3, { reasoning: 2 }))).toMatchObject({
      usage: { output_tokens_details: { thinking_tokens: 2 } },
    });
  });

  it('is none when the model just stops', () => {
    expect(() => documentOf([text('a')])).toThrow(ServiceError);
  });
});
