import { type EndFrame, ServiceError, type StreamEvent } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { contentOfThought } from './conversation.js';
import type { LateFrames } from '../surface.js';
import { ResponsesWriter, type ResponsesWriterOptions } from './events.js';
import type { ToolFace } from './tools.js';

type Json = Record<string, unknown>;
interface Event extends Json {
  readonly type: string;
  readonly sequence_number: number;
}

const face = (kind: ToolFace['kind'], name: string, namespace?: string): [string, ToolFace] => [
  namespace === undefined ? name : `${namespace}__${name}`,
  { kind, name, namespace },
];
const FACES = new Map([face('function', 'f'), face('custom', 'patch'), face('function', 'look', 'mcp')]);
const end = { usage: { prompt: 7, cached: 3, completion: 5, reasoning: 2 } } as EndFrame;

const writer = (options: Partial<ResponsesWriterOptions> = {}): ResponsesWriter =>
  new ResponsesWriter({
    ...{ streamId: 'abc', model: 'deployment-1', created: 5, echo: '"metadata":{}', faces: FACES },
    ...{ logprobs: false, oneCall: false, encrypts: false, store: null, requestBytes: 0, previous: null, ...options },
  });

const text = (x: string): StreamEvent => ({ k: 'text', x, n: 1 });
const think = (x: string): StreamEvent => ({ k: 'think', x, n: 1 });
const call = (i: number, name = 'f', id = `c${i}`): StreamEvent => ({ k: 'call', i, id, name, n: 1 });
const args = (i: number, x: string): StreamEvent => ({ k: 'args', i, x, n: 1 });
const fin = (r: Extract<StreamEvent, { k: 'fin' }>['r'] = 'stop'): StreamEvent => ({ k: 'fin', r });

function eventsIn(sse: string): Event[] {
  const events = [...sse.matchAll(/^event: (.+)\ndata: (.+)\n\n/gm)].map(([, name, data]) => {
    const event = JSON.parse(data!) as Event;
    expect(event.type).toBe(name);
    return event;
  });
  expect(sse.split('\n\n')).toHaveLength(events.length + 1);
  return events;
}
/** A whole stream, one step for each event. */
function streamOf(said: readonly StreamEvent[], options: Partial<ResponsesWriterOptions> = {}): Event[] {
  const one = writer(options);
  const sse = said.map((event) => one.frames([event])).join('') + (one.lastFrames(end) as string);
  const events = eventsIn(sse);
  expect(events.map(({ sequence_number: number }) => number)).toEqual(events.map((_, i) => i));
  return events;
}
function documentOf(said: readonly StreamEvent[], options: Partial<ResponsesWriterOptions> = {}): Json {
  const one = writer(options);
  one.collect(said);
  return JSON.parse(one.document(end) as string) as Json;
}
const outputOf = (events: readonly Event[]): unknown => (events.at(-1)!['response'] as Json)['output'];
const typesOf = (events: readonly Event[]): string[] => events.map(({ type }) => type.replace(/^response\./, ''));
const deltasOf = (events: readonly Event[], type: string): string =>
  events.map((event) => (event.type === `response.${type}.delta` ? String(event['delta']) : '')).join('');

const message = (at: number, value: string, rest: object = {}): object => ({
  id: `msg_abc_${at}`,
  status: 'completed',
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text: value, annotations: [], logprobs: [] }],
  ...rest,
});
const functionCall = (at: number, i: number, json: string, rest: object = {}): object => ({
  ...{ id: `fc_abc_${at}`, status: 'completed', type: 'function_call', call_id: `c${i}`, name: 'f', arguments: json },
  ...rest,
});

describe('a response', () => {
  it('has all members, and one message', () => {
    expect(documentOf([text('a'), text('b'), fin()])).toEqual({
      ...{ id: 'resp_abc', object: 'response', created_at: 5, model: 'deployment-1', status: 'completed' },
      completed_at: expect.any(Number) as number,
      ...{ error: null, incomplete_details: null, store: false, background: false, previous_response_id: null, metadata: {} },
      output: [message(0, 'ab')],
      usage: {
        ...{ input_tokens: 7, input_tokens_details: { cached_tokens: 3 }, output_tokens: 5 },
        ...{ output_tokens_details: { reasoning_tokens: 2 }, total_tokens: 12 },
      },
    });
  });

  it('of nothing has a message without text', () => {
    expect(documentOf([fin()])['output']).toEqual([message(0, '')]);
    expect(outputOf(streamOf([fin()]))).toEqual([message(0, '')]);
    expect(outputOf(streamOf([think('t'), fin()]))).toMatchObject([{ type: 'reasoning' }, message(1, '')]);
  });

  it.each([
    ['length', 'max_output_tokens'],
    ['content_filter', 'content_filter'],
  ] as const)('that ended for %s is incomplete', (reason, word) => {
    const said = [text('a'), fin(reason)];
    const expected = { status: 'incomplete', incomplete_details: { reason: word }, output: [message(0, 'a', { status: 'incomplete' })] };
    expect(documentOf(said)).toMatchObject(expected);
    expect(streamOf(said).at(-1)).toMatchObject({ type: 'response.incomplete', response: expected });
  });

  it('without a finish reason is an error', () => {
    expect(() => documentOf([text('a')])).toThrow(ServiceError);
    expect(() => streamOf([text('a')])).toThrow(ServiceError);
  });

  it('has the same output streamed and whole', () => {
    const said = [
      think('t'),
      text('a'),
      call(0),
      args(0, '{"x":'),
      args(0, '1}'),
      text('b'),
      call(1, 'mcp__look'),
      args(1, '{}'),
      fin('tool_calls'),
    ];
    const events = streamOf(said, { encrypts: true });
    expect(outputOf(events)).toEqual(documentOf(said, { encrypts: true })['output']);
    expect(outputOf(events)).toEqual(events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item));
    expect(outputOf(events)).toEqual([
      {
        ...{ id: 'rs_abc_0', status: 'completed', type: 'reasoning', summary: [{ type: 'summary_text', text: 't' }] },
        encrypted_content: contentOfThought('t'),
      },
      message(1, 'a'),
      functionCall(2, 0, '{"x":1}'),
      message(3, 'b'),
      functionCall(4, 1, '{}', { name: 'look', namespace: 'mcp' }),
    ]);
  });

  it('keeps the first call where one is allowed', () => {
    const said = [call(0), args(0, '{}'), call(1), args(1, '{}'), fin('tool_calls')];
    expect(outputOf(streamOf(said, { oneCall: true }))).toEqual([functionCall(0, 0, '{}')]);
  });

  it('has ids of calls that differ', () => {
    const said = [call(0, 'f', 'same'), args(0, '{}'), call(1, 'f', 'same'), args(1, '{}'), fin('tool_calls')];
    const ids = (documentOf(said)['output'] as { call_id: string }[]).map(({ call_id: id }) => id);
    expect([ids[0], new Set(ids).size]).toEqual(['same', 2]);
  });
});

describe('a stream of the responses contract', () => {
  it('has the events of a text in order', () => {
    const events = streamOf([{ k: 'start', prompt: 7 }, text('a'), text('b'), fin()]);
    expect(typesOf(events)).toEqual([
      ...['created', 'in_progress', 'output_item.added', 'content_part.added', 'output_text.delta', 'output_text.delta'],
      ...['output_text.done', 'content_part.done', 'output_item.done', 'completed'],
    ]);
    expect(events[0]).toMatchObject({ response: { id: 'resp_abc', status: 'in_progress', output: [], usage: null, created_at: 5 } });
    expect(events[2]).toMatchObject({ output_index: 0, item: { status: 'in_progress', content: [] } });
    expect(events[4]).toMatchObject({ item_id: 'msg_abc_0', output_index: 0, content_index: 0, delta: 'a', logprobs: [] });
    expect(events.at(-1)).toMatchObject({ response: { id: 'resp_abc', status: 'completed' } });
  });

  it('shows reasoning as one part of a summary', () => {
    const events = streamOf([think('t'), think('u'), text('a'), fin()]);
    expect(typesOf(events).slice(2, 9)).toEqual([
      ...['output_item.added', 'reasoning_summary_part.added', 'reasoning_summary_text.delta', 'reasoning_summary_text.delta'],
      ...['reasoning_summary_text.done', 'reasoning_summary_part.done', 'output_item.done'],
    ]);
    expect(events[2]).toMatchObject({ item: { summary: [] } });
    expect(outputOf(events)).toMatchObject([{ id: 'rs_abc_0', summary: [{ text: 'tu' }] }, {}]);
    expect(JSON.stringify(events)).not.toMatch(/encrypted_content|reasoning_text/);
  });

  it('writes interleaved calls one after the other', () => {
    const events = streamOf([call(0), args(0, '{"a":'), call(1), args(1, '{"b":2}'), args(0, '1}'), fin('tool_calls')]);
    const items = events.flatMap(({ type, output_index: at }) =>
      type.startsWith('response.output_item') ? [`${type.slice(21)} ${String(at)}`] : [],
    );
    expect(items).toEqual(['added 0', 'done 0', 'added 1', 'done 1']);
    expect(outputOf(events)).toEqual([functionCall(0, 0, '{"a":1}'), functionCall(1, 1, '{"b":2}')]);
  });

  it('writes no arguments as an empty object', () => {
    const events = streamOf([call(0), fin('tool_calls')]);
    expect(deltasOf(events, 'function_call_arguments')).toBe('{}');
    expect(events.find(({ type }) => type === 'response.output_item.added')).toMatchObject({ item: { arguments: '' } });
    expect(outputOf(events)).toEqual([functionCall(0, 0, '{}')]);
  });

  it('never completes a call that the limit cut', () => {
    const events = streamOf([text('a'), call(0), args(0, '{"x":'), fin('length')]);
    expect(typesOf(events)).not.toContain('function_call_arguments.done');
    expect(events.filter(({ type }) => type === 'response.output_item.done')).toHaveLength(1);
    expect(outputOf(events)).toEqual([message(0, 'a')]);
    expect(outputOf(streamOf([call(0), args(0, '{"x":'), fin('length')]))).toMatchObject([{ type: 'message' }]);
  });

  it('fails for a whole call that is broken', () => {
    expect(() => streamOf([call(0), args(0, '{"x":'), fin('tool_calls')])).toThrow(ServiceError);
    expect(() => documentOf([call(0, 'patch'), args(0, '{"other":"x"}'), fin('tool_calls')])).toThrow(ServiceError);
  });

  it('decodes the input of custom tools, however it is cut', () => {
    const input = '*** Begin\n"quoted" \\ tab\t 😀 é \u0001 end';
    const json = JSON.stringify({ input }).replace('😀', '\\ud83d\\ude00').replace('é', '\\u00e9');
    for (let size = 1; size < 9; size += 1) {
      const pieces = Array.from({ length: Math.ceil(json.length / size) }, (_, i) => args(0, json.slice(i * size, (i + 1) * size)));
      const events = streamOf([call(0, 'patch'), ...pieces, fin('tool_calls')]);
      expect(deltasOf(events, 'custom_tool_call_input')).toBe(input);
      const item = { id: 'ctc_abc_0', status: 'completed', type: 'custom_tool_call', call_id: 'c0', name: 'patch', input };
      expect(outputOf(events)).toEqual([item]);
      expect(events.find(({ type }) => type === 'response.custom_tool_call_input.done')).toMatchObject({ input });
    }
  });

  it('splits no character and sends no half', () => {
    const [high, low] = ['😀'.slice(0, 1), '😀'.slice(1)];
    const events = streamOf([text(`a${high}`), text(`${low}b`), text(high), fin()]);
    expect(deltasOf(events, 'output_text')).toBe('a😀b\ufffd');
    expect(outputOf(events)).toEqual([message(0, 'a😀b\ufffd')]);
  });

  it('has log probabilities in deltas and parts', () => {
    const lp = [{ t: 'a', p: -0.5, top: [{ t: 'b', p: -1 }] }];
    const events = streamOf([{ k: 'text', x: 'a', n: 1, lp }, { k: 'text', x: '', n: 1, lp }, fin()], { logprobs: true });
    const entry = { token: 'a', logprob: -0.5, bytes: [97], top_logprobs: [{ token: 'b', logprob: -1, bytes: [98] }] };
    expect(events.find(({ type }) => type === 'response.output_text.delta')).toMatchObject({ logprobs: [entry] });
    expect(outputOf(events)).toMatchObject([{ content: [{ logprobs: [entry, entry] }] }]);
  });

  it('begins before it is kept alive', () => {
    const one = writer();
    const first = eventsIn(one.keepAlive());
    const later = eventsIn(one.keepAlive() + one.frames([text('a')]));
    expect(typesOf([...first, ...later])).toEqual([
      ...['created', 'in_progress', 'keepalive', 'output_item.added', 'content_part.added', 'output_text.delta'],
    ]);
    expect([...first, ...later].map(({ sequence_number: number }) => number)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('fails with one error, flat and nested', () => {
    const one = writer();
    one.frames([text('a')]);
    const [event] = eventsIn(one.errorFrame(new ServiceError('worker_lost', 'Lost.')));
    const facts = { code: 'worker_lost', message: 'Lost.', param: null };
    expect(event).toEqual({ type: 'error', sequence_number: 5, ...facts, error: { type: 'server_error', ...facts } });
  });

  it('waits for output before it begins', () => {
    expect(writer().frames([{ k: 'start', prompt: 7 }])).toBe('');
  });
});

describe('a response that is to be stored', () => {
  /** A store whose answer the test gives. */
  const storing = (): { store: (response: string) => Promise<boolean>; stored: Json[]; answer: (isStored: boolean) => void } => {
    const stored: Json[] = [];
    let answer: (isStored: boolean) => void = () => undefined;
    const store = (response: string): Promise<boolean> => {
      stored.push(JSON.parse(response) as Json);
      return new Promise((resolve) => (answer = resolve));
    };
    return { store, stored, answer: (isStored) => answer(isStored) };
  };

  it.each([true, false])('holds back its last event alone, which says whether it is stored: %s', async (isStored) => {
    const { store, stored, answer } = storing();
    const one = writer({ store, previous: 'resp_before' });
    const first = eventsIn(one.frames([text('Hi')]));
    expect(first[0]).toMatchObject({ response: { store: true, previous_response_id: 'resp_before' } });
    one.frames([fin()]);
    const { now, late } = one.lastFrames(end) as LateFrames;
    expect(typesOf(eventsIn(now))).toEqual(['output_text.done', 'content_part.done', 'output_item.done']);
    expect(stored).toMatchObject([{ id: 'resp_abc', status: 'completed', store: true, output: [message(0, 'Hi')] }]);
    answer(isStored);
    const [last] = eventsIn(await late);
    expect(last).toMatchObject({ type: 'response.completed', response: { store: isStored, output: [message(0, 'Hi')] } });
    expect(last?.sequence_number).toBe(first.length + 3);
  });

  it('is sent as a document once it is stored', async () => {
    const { store, answer } = storing();
    const one = writer({ store });
    one.collect([text('Hi'), fin()]);
    const document = one.document(end);
    answer(true);
    expect(JSON.parse(await document)).toMatchObject({ store: true, status: 'completed' });
  });

  it('is not stored when it is incomplete by a fault', () => {
    const { store, stored } = storing();
    const one = writer({ store });
    one.collect([text('Hi')]);
    expect(() => one.document(end)).toThrow(ServiceError);
    expect(stored).toEqual([]);
  });
});
