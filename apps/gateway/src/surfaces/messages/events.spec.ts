import { type FinishReason, ServiceError, type StreamEvent } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import type { MessagesWriterOptions } from './events.js';
import { args, call, endOf, fin, start, text, think, writer } from './events.samples.js';

const event = (name: string, rest: string): string => `event: ${name}\ndata: {"type":"${name}"${rest}}\n\n`;
const usage = (input: number, output: number, read: number): string =>
  `"usage":{"input_tokens":${input},"output_tokens":${output},"cache_creation_input_tokens":0,"cache_read_input_tokens":${read}}`;
const STARTED = event(
  'message_start',
  `,"message":{"id":"msg_1","type":"message","role":"assistant","model":"deployment-1","content":[],"stop_reason":null,"stop_sequence":null,${usage(4, 0, 3)}}`,
);
const opened = (index: number, block: string): string => event('content_block_start', `,"index":${index},"content_block":${block}`);
const delta = (index: number, body: string): string => event('content_block_delta', `,"index":${index},"delta":${body}`);
const said = (index: number, x: string): string => delta(index, `{"type":"text_delta","text":${JSON.stringify(x)}}`);
const closed = (index: number): string => event('content_block_stop', `,"index":${index}`);
const input = (index: number, json: string): string => delta(index, `{"type":"input_json_delta","partial_json":${JSON.stringify(json)}}`);
const called = (index: number, id: string): string => opened(index, `{"type":"tool_use","id":"${id}","name":"look","input":{}}`);
const TEXT = '{"type":"text","text":""}';
const THINKING = '{"type":"thinking","thinking":"","signature":""}';
const SIGNED = '{"type":"signature_delta","signature":""}';
const ended = (reason: string, output = 3): string =>
  event('message_delta', `,"delta":{"stop_reason":"${reason}","stop_sequence":null},${usage(4, output, 3)}`) + event('message_stop', '');

describe('the events of a message', () => {
  it('come in the contract’s order with its bodies', () => {
    const w = writer();
    expect([w.frames([start]), w.frames([text('Hel')]), w.frames([text('lo')]), w.frames([fin()]), w.lastFrames(endOf())]).toEqual([
      '',
      STARTED + opened(0, TEXT) + said(0, 'Hel'),
      said(0, 'lo'),
      '',
      closed(0) + ended('end_turn'),
    ]);
  });

  it('merge texts into one delta, and none empty', () => {
    expect(writer().frames([start, text(''), text('a'), text('b'), fin()])).toBe(STARTED + opened(0, TEXT) + said(0, 'ab'));
  });

  it('of an empty answer have no block', () => {
    const w = writer();
    expect(w.frames([start, fin()]) + w.lastFrames(endOf(1))).toBe(STARTED + ended('end_turn', 1));
  });

  it('show thoughts as unsigned blocks', () => {
    const w = writer({ thinking: 'shown' });
    const thought = delta(0, '{"type":"thinking_delta","thinking":"hm"}');
    const frames = w.frames([start, think('h'), think('m')]) + w.frames([text('a'), fin()]) + w.lastFrames(endOf());
    expect(frames).toBe(
      STARTED +
        opened(0, THINKING) +
        thought +
        delta(0, SIGNED) +
        closed(0) +
        opened(1, TEXT) +
        said(1, 'a') +
        closed(1) +
        ended('end_turn'),
    );
  });

  it('show empty blocks for omitted thoughts', () => {
    const w = writer({ thinking: 'omitted' });
    expect(w.frames([start, think('hm'), think('hm'), text('a')])).toBe(
      STARTED + opened(0, THINKING) + delta(0, SIGNED) + closed(0) + opened(1, TEXT) + said(1, 'a'),
    );
  });

  it('hide thoughts that were not requested', () => {
    const w = writer();
    expect([w.frames([start]), w.frames([think('hm')]), w.frames([text('a')])]).toEqual(['', STARTED, opened(0, TEXT) + said(0, 'a')]);
  });

  it('of a request for no tokens say nothing', () => {
    const w = writer({ maxTokens: 0, thinking: 'shown' });
    expect(w.frames([start, think('h'), text('a'), fin('length')]) + w.lastFrames(endOf(1))).toBe(STARTED + ended('max_tokens', 0));
  });

  it('count an unknown prompt at the end', () => {
    const w = writer();
    expect(w.frames([{ k: 'start' }, text('a'), fin()])).toContain(usage(0, 0, 0));
    expect(w.lastFrames(endOf())).toContain(usage(4, 3, 3));
  });

  it.each<[string, number, FinishReason, object?]>([
    ['end_turn', 2, 'stop'],
    ['max_tokens', 3, 'length'],
    ['model_context_window_exceeded', 2, 'length'],
    ['max_tokens', 2, 'length', { estimated: true }],
    ['refusal', 2, 'content_filter'],
    ['stop_sequence', 2, 'stop_sequence'],
  ])('end with %s: %i tokens by %s', (reason, completion, r, rest) => {
    const w = writer();
    expect(w.frames([text('a'), fin(r)])).not.toContain('"stop_reason":"');
    expect(w.lastFrames(endOf(completion, rest))).toContain(`"delta":{"stop_reason":"${reason}","stop_sequence":null}`);
  });

  it('name the stop sequence that was met', () => {
    const w = writer();
    w.frames([text('a'), fin('stop_sequence', 'E"ND')]);
    expect(w.lastFrames(endOf())).toContain('"delta":{"stop_reason":"stop_sequence","stop_sequence":"E\\"ND"}');
  });

  it('keep data on one line, whatever the model says', () => {
    const frames = writer().frames([text('a\n\ndata: {}\r\u2028"')]);
    expect(frames.split('\n\n')).toHaveLength(4);
    expect(frames.match(/^data: /gm)).toHaveLength(3);
  });

  it('never split a character over two of them', () => {
    const w = writer({ thinking: 'shown' });
    const thought = delta(0, '{"type":"thinking_delta","thinking":"🙂"}');
    expect([w.frames([think('\ud83d')]), w.frames([think('\ude42')]), w.frames([text('a\ud83d')]), w.frames([text('\ude00b')])]).toEqual([
      event(
        'message_start',
        `,"message":{"id":"msg_1","type":"message","role":"assistant","model":"deployment-1","content":[],"stop_reason":null,"stop_sequence":null,${usage(0, 0, 0)}}`,
      ) + opened(0, THINKING),
      thought,
      delta(0, SIGNED) + closed(0) + opened(1, TEXT) + said(1, 'a'),
      said(1, '😀b'),
    ]);
    const call0 = w.frames([call(0), args(0, '{"q":"\ud83d')]) + w.frames([args(0, '\ude00"}'), fin('tool_calls')]) + w.lastFrames(endOf());
    expect(call0).toContain(input(2, '{"q":"') + input(2, '😀"}') + closed(2));
  });

  it('replace a character whose second half is missing', () => {
    const w = writer();
    const frames = w.frames([start, text('a\ud83d'), fin()]) + w.lastFrames(endOf());
    expect(frames).toBe(STARTED + opened(0, TEXT) + said(0, 'a') + said(0, '\ufffd') + closed(0) + ended('end_turn'));
    expect(writer().frames([start, text('\ude00b'), fin()])).toContain(said(0, '\ufffdb'));
  });

  it('never end well without finish reason', () => {
    const w = writer();
    w.frames([text('a')]);
    expect(() => w.lastFrames(endOf())).toThrow(ServiceError);
  });

  it('have an error with its request, and a ping', () => {
    expect(writer().errorFrame(new ServiceError('worker_lost', 'Lost.'), 'req_1')).toBe(
      'event: error\ndata: {"type":"error","error":{"type":"api_error","message":"Lost.","details":{"error_code":"worker_lost"}},"request_id":"req_1"}\n\n',
    );
    expect(writer().keepAlive()).toBe('event: ping\ndata: {"type":"ping"}\n\n');
  });
});

describe('events of a message with calls', () => {
  const all = (events: StreamEvent[], answer: Partial<MessagesWriterOptions> = {}): string => {
    const w = writer(answer);
    return events.map((one) => w.frames([one])).join('') + w.lastFrames(endOf());
  };
  const last = (reason = 'tool_use'): string => ended(reason);

  it('begin calls empty, then stream arguments', () => {
    expect(all([start, text('a'), call(0), args(0, '{"q"'), args(0, ':1}'), fin('tool_calls')])).toBe(
      STARTED + opened(0, TEXT) + said(0, 'a') + closed(0) + called(1, 'c0') + input(1, '{"q"') + input(1, ':1}') + closed(1) + last(),
    );
  });

  it('send no empty text before a call', () => {
    const w = writer();
    expect(w.frames([start, text(''), call(0), args(0, '{"q":1}'), fin('tool_calls')]) + w.lastFrames(endOf())).toBe(
      STARTED + called(0, 'c0') + input(0, '{"q":1}') + closed(0) + last(),
    );
  });

  it('send later text in its own block', () => {
    expect(all([start, call(0), args(0, '{}'), text('b'), call(1), args(1, '{}'), fin('tool_calls')])).toBe(
      STARTED +
        called(0, 'c0') +
        input(0, '{}') +
        closed(0) +
        opened(1, TEXT) +
        said(1, 'b') +
        closed(1) +
        called(2, 'c1') +
        input(2, '{}') +
        closed(2) +
        last(),
    );
  });

  it('send interleaved calls one after the other', () => {
    expect(all([start, call(0), args(0, '{"a"'), call(1), args(1, '{"b"'), args(0, ':1}'), args(1, ':2}'), fin('tool_calls')])).toBe(
      STARTED +
        called(0, 'c0') +
        input(0, '{"a"') +
        input(0, ':1}') +
        closed(0) +
        called(1, 'c1') +
        input(1, '{"b"') +
        input(1, ':2}') +
        closed(1) +
        last(),
    );
  });

  it('send text within arguments after them', () => {
    expect(all([start, call(0), args(0, '{"a"'), text('b'), args(0, ':1}'), fin('tool_calls')])).toBe(
      STARTED + called(0, 'c0') + input(0, '{"a"') + input(0, ':1}') + closed(0) + opened(1, TEXT) + said(1, 'b') + closed(1) + last(),
    );
  });

  it('send one empty delta without arguments', () => {
    expect(all([start, call(0), call(1), args(1, '{}'), fin('tool_calls')])).toBe(
      STARTED + called(0, 'c0') + input(0, '') + closed(0) + called(1, 'c1') + input(1, '{}') + closed(1) + last(),
    );
  });

  it.each(['{"q"', '[1]', '"x"', 'null', '7', '{} {}'])('end with an error for arguments %s', (json) => {
    const w = writer();
    expect(w.frames([start, call(0), args(0, json), fin('tool_calls')])).not.toContain('content_block_stop');
    expect(() => w.lastFrames(endOf())).toThrow(expect.objectContaining({ code: 'engine_error' }));
  });

  it('end with max_tokens within cut arguments', () => {
    expect(all([start, call(0), args(0, '{"q'), fin('length')])).toBe(
      STARTED + called(0, 'c0') + input(0, '{"q') + closed(0) + last('max_tokens'),
    );
  });

  it.each<FinishReason>(['stop', 'tool_calls'])('end with tool_use after calls by %s', (r) => {
    expect(all([start, call(0), args(0, '{}'), fin(r)])).toContain('"stop_reason":"tool_use"');
    expect(all([start, text('a'), fin(r)])).toContain('"stop_reason":"end_turn"');
  });

  it('keep one call where one is allowed', () => {
    const events = [start, call(0), args(0, '{"q":1}'), call(1), args(1, '{"q":2}'), fin('tool_calls')];
    expect(all(events, { oneCall: true })).toBe(STARTED + called(0, 'c0') + input(0, '{"q":1}') + closed(0) + last());
  });

  it('keep call ids, and make them unique', () => {
    const stream = all([start, call(0, 'same'), args(0, '{}'), call(1, 'same'), args(1, '{}'), fin('tool_calls')]);
    const ids = [...stream.matchAll(/"type":"tool_use","id":"([^"]+)"/g)].map((match) => match[1]);
    expect(ids).toEqual(['same', expect.stringMatching(/^toolu_[A-Za-z0-9]{24}$/)]);
  });

  it('escape names and ids in their JSON', () => {
    expect(all([start, call(0, 'a"b', 'n"m'), args(0, '{}'), fin('tool_calls')])).toContain('"id":"a\\"b","name":"n\\"m"');
  });
});
