import { type CanonicalMessage, ServiceError, textOf } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { contentOfThought } from './conversation.js';
import { PNG, read, tool } from './request.samples.js';

/** A message as one line: role, what it says, and what it calls. */
function lineOf(message: CanonicalMessage): string {
  const images = message.content.map(({ type }) => (type === 'image' ? '<image>' : '')).join('');
  if (message.role === 'tool') return `tool ${message.tool_call_id}: ${textOf(message)}`;
  if (message.role !== 'assistant') return `${message.role}: ${images}${textOf(message)}`;
  const thought = message.reasoning === undefined ? '' : `(${message.reasoning}) `;
  const calls = (message.tool_calls ?? []).map(({ id, name, arguments: args }) => ` ${id}=${name}${args}`).join('');
  return `assistant: ${thought}${textOf(message)}${calls}`;
}
const linesOf = (input: unknown, fields: object = {}): string[] => read({ input, ...fields }).canonical.messages.map(lineOf);
function faultOf(input: unknown[]): Partial<ServiceError> {
  try {
    read({ input });
  } catch (error) {
    return error as ServiceError;
  }
  throw new Error('It was accepted.');
}

const user = (content: unknown): object => ({ role: 'user', content });
const says = (text: string): object => ({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text, annotations: [] }] });
const developer = (content: unknown): object => ({ type: 'message', role: 'developer', content });
const call = (id: string, rest: object = {}): object => ({ type: 'function_call', call_id: id, name: 'f', arguments: '{"a":1}', ...rest });
const result = (id: string, output: unknown = 'r'): object => ({ type: 'function_call_output', call_id: id, output });
const reasoning = (fields: object): object => ({ type: 'reasoning', id: 'rs_1', summary: [], ...fields });
const summary = (text: string): object => reasoning({ summary: [{ type: 'summary_text', text }] });
const text = (value: string): object => ({ type: 'input_text', text: value });

describe('a conversation of items', () => {
  it.each<[string, string[], unknown, object?]>([
    ['a string is a user’s message', ['user: hi'], 'hi'],
    ['an empty text is kept alone', ['user: '], ''],
    [
      'all leading instructions make one system message',
      ['system: i\n\nd\n\ns', 'user: a'],
      [developer('d'), { role: 'system', content: [text('s')] }, user('a')],
      { instructions: 'i' },
    ],
    [
      'a later instruction joins the user’s turn',
      ['user: a\n\nd', 'assistant: b', 'user: e\n\nc'],
      [user('a'), developer('d'), says('b'), developer('e'), user('c')],
    ],
    [
      'reasoning, text and calls are one turn',
      ['user: a', 'assistant: (t) b x=f{"a":1} y=f{"a":1}', 'tool x: 1', 'tool y: 2'],
      [user('a'), summary('t'), says('b'), call('x'), call('y'), result('x', '1'), result('y', '2')],
    ],
    [
      'results come in the order of their calls',
      ['user: a', 'assistant:  x=f{"a":1} y=f{"a":1}', 'tool x: 1', 'tool y: 2', 'user: b'],
      [user('a'), call('x'), call('y'), result('y', '2'), result('x', '1'), user('b')],
    ],
    [
      'a call after a result is another turn',
      ['user: a', 'assistant:  x=f{"a":1}', 'tool x: 1', 'assistant:  y=f{"a":1}', 'tool y: 2'],
      [user('a'), call('x'), result('x', '1'), call('y'), result('y', '2')],
    ],
    ['texts of the assistant are joined', ['user: a', 'assistant: b\n\nc', 'user: d'], [user('a'), says('b'), says('c'), user('d')]],
    ['the last answer is not continued', ['user: a', 'assistant: b'], [user('a'), says('b')]],
    ['reasoning without an answer is lost', ['user: a\n\nb'], [user('a'), summary('t'), user('b')]],
    ['a refusal is text', ['user: a', 'assistant: no'], [user('a'), { role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }] }]],
    ['parts of a message are one text', ['user: ab'], [user([text('a'), text('b')])]],
    [
      'parts of a result are lines',
      ['user: a', 'assistant:  x=f{"a":1}', 'tool x: 1\n2'],
      [user('a'), call('x'), result('x', [text('1'), text('2')])],
    ],
    [
      'images of a result follow it',
      ['user: a', 'assistant:  x=f{"a":1}', 'tool x: 1', 'user: <image>'],
      [user('a'), call('x'), result('x', [text('1'), { type: 'input_image', image_url: PNG }])],
    ],
    ['a reference to reasoning is dropped', ['user: a'], [user('a'), { type: 'item_reference', id: 'rs_1' }]],
    [
      'a custom call has its input as JSON',
      ['user: a', 'assistant:  x=p{"input":"a\\"b"}', 'tool x: ok'],
      [
        user('a'),
        { type: 'custom_tool_call', call_id: 'x', name: 'p', input: 'a"b' },
        { type: 'custom_tool_call_output', call_id: 'x', output: 'ok' },
      ],
    ],
    [
      'a call of a namespace has the engine’s name',
      ['user: a', 'assistant:  x=ns__f{"a":1}', 'tool x: r'],
      [user('a'), call('x', { namespace: 'ns' }), result('x')],
    ],
    [
      'a call without arguments has an empty object',
      ['user: a', 'assistant:  x=f{}', 'tool x: r'],
      [user('a'), call('x', { arguments: '' }), result('x')],
    ],
  ])('%s', (_, expected, input, fields) => {
    expect(linesOf(input, fields)).toEqual(expected);
  });

  it.each<[string, string, object]>([
    ['our own content', 'own', { encrypted_content: contentOfThought('own'), summary: [{ type: 'summary_text', text: 's' }] }],
    ['its content', 'c', { content: [{ type: 'reasoning_text', text: 'c' }], summary: [{ type: 'summary_text', text: 's' }] }],
    ['its summary', 's', { summary: [{ type: 'summary_text', text: 's' }], content: null, encrypted_content: null }],
  ])('brings reasoning back by %s', (_, thought, fields) => {
    expect(linesOf([user('a'), reasoning(fields), says('b')])).toEqual(['user: a', `assistant: (${thought}) b`]);
  });

  it('drops reasoning that only another server can read', () => {
    const foreign = reasoning({ encrypted_content: 'gAAAAB', summary: [{ type: 'summary_text', text: 's' }] });
    expect(linesOf([user('a'), foreign, says('b')])).toEqual(['user: a', 'assistant: b']);
  });

  it('takes an answer as a client dumps it', () => {
    const dumped = [
      {
        id: 'rs_1',
        summary: [{ text: 't', type: 'summary_text' }],
        type: 'reasoning',
        content: null,
        encrypted_content: null,
        status: null,
      },
      {
        id: 'msg_1',
        content: [{ annotations: [], text: 'b', type: 'output_text', logprobs: null }],
        ...{ role: 'assistant', status: 'completed', type: 'message', phase: null },
      },
      { arguments: '{}', call_id: 'x', name: 'f', type: 'function_call', id: 'fc_1', namespace: null, status: null, caller: null },
    ];
    expect(linesOf([user('a'), ...dumped, result('x')])).toEqual(['user: a', 'assistant: (t) b x=f{}', 'tool x: r']);
  });

  it.each<[string, unknown[], string, RegExp]>([
    [
      'a result without its call',
      [user('a'), result('x')],
      'input[1].call_id',
      /^No tool call found for function call output with call_id 'x'\.$/,
    ],
    ['a call without its result', [user('a'), call('x'), user('b')], 'input[1].call_id', /^No tool output found for function call 'x'\.$/],
    [
      'broken arguments',
      [user('a'), call('x', { arguments: '{"a":' }), result('x')],
      'input[1].arguments',
      /not the JSON text of an object/,
    ],
    ['two calls of one id', [user('a'), call('x'), call('x'), result('x')], 'input[2].call_id', /id of an earlier call/],
    [
      'an image of the assistant',
      [{ role: 'assistant', content: [{ type: 'input_image', image_url: PNG }] }],
      'input[0].content[0].type',
      /Images can only/,
    ],
    [
      'a reference to an answer',
      [user('a'), { type: 'item_reference', id: 'msg_1' }],
      'input[1].id',
      /^Item with id 'msg_1' not found: this deployment keeps no answers/,
    ],
  ])('refuses %s', (_, input, param, words) => {
    const { param: named, message } = faultOf(input);
    expect(named).toBe(param);
    expect(message).toMatch(words);
  });

  it('has a code of its own for missing items', () => {
    expect(faultOf([{ type: 'item_reference', id: 'fc_1' }]).facts).toEqual({ error_code: 'item_not_found' });
  });

  it('names the first image behind results', () => {
    const input = [user('a'), call('x'), result('x', [text('1'), { type: 'input_image', image_url: PNG }])];
    expect(() => read({ input, tools: [tool('f')] }, ['tools'])).toThrow(
      expect.objectContaining({ param: 'input[2].output[1].image_url' }) as Error,
    );
  });
});
