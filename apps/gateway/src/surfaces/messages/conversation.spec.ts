import type { CanonicalMessage } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { readerOf } from '../shared/checker.js';
import { readConversation } from './conversation.js';
import { WORDING } from './errors.js';
import { read } from './request.samples.js';
import { MessagesConversation } from './schema.js';
import type { Conversation } from '../shared/turns.js';

const readForm = readerOf(MessagesConversation, WORDING);
function conversationOf(messages: unknown[], system?: unknown): Conversation {
  const form = readForm({ messages, system });
  return readConversation(form.system, form.messages, { imageHosts: [] });
}
/** A message as one line: role, what it says, and what it calls. */
const lineOf = (message: CanonicalMessage): string => {
  const content = message.content.map((part) => (part.type === 'text' ? part.text : `<${part.url.slice(0, 15)}>`)).join('|');
  if (message.role === 'tool') return `tool ${message.tool_call_id}: ${content}`;
  if (message.role !== 'assistant') return `${message.role}: ${content}`;
  const thought = message.reasoning === undefined ? '' : `(${message.reasoning}) `;
  const calls = (message.tool_calls ?? []).map(({ id, name, arguments: args }) => ` ${id}=${name}${args}`).join('');
  return `assistant: ${thought}${content}${calls}`;
};
const linesOf = (messages: unknown[], system?: unknown): string[] => conversationOf(messages, system).messages.map(lineOf);

const user = (content: unknown): object => ({ role: 'user', content });
const assistant = (content: unknown): object => ({ role: 'assistant', content });
const instruction = (content: unknown): object => ({ role: 'system', content });
const text = (value: string, rest: object = {}): object => ({ type: 'text', text: value, ...rest });
const thinking = (value: string, rest: object = {}): object => ({ type: 'thinking', thinking: value, ...rest });
const toolUse = (id: string, input?: object): object => ({ type: 'tool_use', id, name: 'look', ...(input && { input }) });
const result = (id: string, content?: unknown, rest: object = {}): object => ({ type: 'tool_result', tool_use_id: id, content, ...rest });
const PNG = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw==' } };
const GIF = { type: 'image', source: { type: 'base64', media_type: 'image/gif', data: 'R0lGODlh' } };

describe('a conversation', () => {
  it.each<[string, string[], unknown[], unknown?]>([
    ['of strings stays as it is', ['user: a', 'assistant: b', 'user: c'], [user('a'), assistant('b'), user('c')]],
    [
      'of blocks becomes text',
      ['user: a\n\nb'],
      [user([text('a', { cache_control: { type: 'ephemeral' } }), text('b', { citations: null })])],
    ],
    ['joins the pieces of an answer', ['user: a', 'assistant: bc', 'user: d'], [user('a'), assistant([text('b'), text('c')]), user('d')]],
    ['drops empty blocks', ['user: a'], [user([text(''), text('a')])]],
    ['drops an empty answer, wherever it is', ['user: a\n\nb'], [user('a'), assistant(''), user('b'), assistant([])]],
    ['merges equal roles', ['user: a\n\nb', 'assistant: c', 'user: d'], [user('a'), user('b'), assistant('c'), user('d')]],
    ['merges answers', ['user: a', 'assistant: b\n\nc', 'user: d'], [user('a'), assistant('b'), assistant('c'), user('d')]],
  ])('%s', (_, expected, messages, system) => {
    expect(linesOf(messages, system)).toEqual(expected);
  });

  it.each<[string, string[], unknown]>([
    ['a string comes first', ['system: s', 'user: a'], 's'],
    ['blocks are joined by a blank line', ['system: s\n\nt', 'user: a'], [text('s', { cache_control: null }), text('t')]],
    ['nothing becomes no message', ['user: a'], [text('')]],
    [
      'the line in which a client describes itself is lost',
      ['system: s', 'user: a'],
      [text('x-anthropic-billing-header: cc_version=1; cch=9'), text('s')],
    ],
  ])('a system prompt of %s', (_, expected, system) => {
    expect(linesOf([user('a')], system)).toEqual(expected);
  });

  it.each<[string, string[], unknown[]]>([
    ['at the start joins the prompt', ['system: s\n\nt', 'user: a'], [instruction([text('t')]), user('a')]],
    ['later joins the turn before', ['system: s', 'user: a\n\nt'], [user('a'), instruction('t')]],
    [
      'after an answer joins the turn that follows',
      ['system: s', 'user: a', 'assistant: b', 'user: t\n\nc'],
      [user('a'), assistant('b'), instruction('t'), user('c')],
    ],
    [
      'after results alone joins the last of them',
      ['system: s', 'user: a', 'assistant:  1=look{}', 'tool 1: r\n\nt'],
      [user('a'), assistant([toolUse('1')]), user([result('1', 'r')]), instruction('t')],
    ],
    [
      'after an empty result is all that it says',
      ['system: s', 'user: a', 'assistant:  1=look{}', 'tool 1: t'],
      [user('a'), assistant([toolUse('1')]), user([result('1')]), instruction('t')],
    ],
    [
      'between a call and its result comes after the turn',
      ['system: s', 'user: q', 'assistant:  a=look{} b=look{}', 'tool b: B', 'tool a: A', 'user: more\n\nt'],
      [
        user('q'),
        assistant([toolUse('a'), toolUse('b')]),
        instruction([text('t')]),
        user([result('b', 'B'), result('a', 'A'), text('more')]),
      ],
    ],
    [
      'between a call and a result alone joins the result',
      ['system: s', 'user: q', 'assistant:  a=look{}', 'tool a: A\n\nt'],
      [user('q'), assistant([toolUse('a')]), instruction('t'), user([result('a', 'A')])],
    ],
    ['without a word changes nothing', ['system: s', 'user: a'], [user('a'), instruction('')]],
  ])('an instruction %s', (_, expected, messages) => {
    expect(linesOf(messages, 's')).toEqual(expected);
  });

  it.each<[string, string[], unknown[]]>([
    [
      'results come before the rest of their message, in their order',
      ['user: q', 'assistant:  a=look{} b=look{}', 'tool b: B', 'tool a: A', 'user: so\n\nwhat'],
      [user('q'), assistant([toolUse('a'), toolUse('b')]), user([text('so'), result('b', 'B'), result('a', 'A'), text('what')])],
    ],
    [
      'results in two messages are one turn',
      ['user: q', 'assistant:  a=look{} b=look{}', 'tool a: A', 'tool b: B', 'user: x'],
      [user('q'), assistant([toolUse('a'), toolUse('b')]), user([result('a', 'A')]), user([result('b', 'B'), text('x')])],
    ],
    [
      'answers with calls are merged, calls and all',
      ['user: q', 'assistant: x\n\ny a=look{} b=look{}', 'tool a: A', 'tool b: B'],
      [
        user('q'),
        assistant([text('x'), text('')]),
        assistant([text('y'), toolUse('a'), toolUse('b')]),
        user([result('a', 'A'), result('b', 'B')]),
      ],
    ],
  ])('%s', (_, expected, messages) => {
    expect(linesOf(messages)).toEqual(expected);
  });

  const answering = (content: object[]): string[] => {
    const ids = ['a', 'b'].slice(0, Math.max(1, content.filter((block) => 'tool_use_id' in block).length));
    return linesOf([user('q'), assistant(ids.map((id) => toolUse(id))), user(content)]).slice(2);
  };
  it.each<[string, string[], object[]]>([
    ['texts are lines', ['tool a: x\ny'], [result('a', [text('x'), text('y')])]],
    ['an error says so', ['tool a: Error: no such file'], [result('a', 'no such file', { is_error: true })]],
    ['no error says nothing of it', ['tool a: ok'], [result('a', 'ok', { is_error: false })]],
    ['without content is empty', ['tool a: '], [result('a')]],
    ['of null is empty', ['tool a: '], [result('a', null)]],
    [
      'names the tools that it found',
      ['tool a: grep\nglob'],
      [
        result('a', [
          { type: 'tool_reference', tool_name: 'grep' },
          { type: 'tool_reference', tool_name: 'glob' },
        ]),
      ],
    ],
    [
      'documents and search results are text',
      ['tool a: doc\nT\ns\nfound'],
      [
        result('a', [
          { type: 'document', source: { type: 'text', data: 'doc' } },
          { type: 'search_result', title: 'T', source: 's', content: [text('found')] },
        ]),
      ],
    ],
    [
      'images of all results follow in one message',
      ['tool a: one', 'tool b: two', 'user: <data:image/png;>|<data:image/gif;>|so'],
      [result('a', [text('one'), PNG]), result('b', [GIF, text('two')]), text('so')],
    ],
  ])('a result %s', (_, expected, content) => {
    expect(answering(content)).toEqual(expected);
  });

  it.each<[string, string, object]>([
    ['input is JSON text', 'assistant:  x=look{"a":[1]}', toolUse('x', { a: [1] })],
    ['no input is an empty object', 'assistant:  x=look{}', toolUse('x')],
    ['any id is kept', 'assistant:  call:1/ü=look{}', toolUse('call:1/ü')],
    ['the caller is left out', 'assistant:  x=look{}', { ...toolUse('x'), caller: { type: 'direct' }, cache_control: null }],
  ])('of an earlier call, %s', (_, expected, call) => {
    const { id } = call as { id: string };
    expect(linesOf([user('q'), assistant([call]), user([result(id, 'r')])])).toEqual(['user: q', expected, `tool ${id}: r`]);
  });

  it.each<[string, string, object[]]>([
    ['are kept apart from what was said', 'assistant: (hm) b', [thinking('hm', { signature: 's' }), text('b')]],
    ['are joined', 'assistant: (hm\n\nho) b', [thinking('hm'), text('b'), thinking('ho')]],
    ['may have any signature or none', 'assistant: (hm) b', [thinking('hm', { signature: '' }), text('b')]],
    ['may be empty', 'assistant: b', [thinking(''), { type: 'thinking' }, text('b')]],
    ['that are redacted are left out', 'assistant: b', [{ type: 'redacted_thinking', data: 'y' }, text('b')]],
  ])('earlier thoughts %s', (_, expected, content) => {
    expect(linesOf([user('a'), assistant(content), user('c')])).toEqual(['user: a', expected, 'user: c']);
  });

  it('continue a prefilled answer without trailing space', () => {
    const { messages, prefill } = conversationOf([user('q'), assistant('The answer is ( \n')]);
    expect({ prefill, lines: messages.map(lineOf) }).toEqual({ prefill: 'messages.1', lines: ['user: q', 'assistant: The answer is ('] });
  });

  it.each([[assistant('')], [assistant(' \n')], [assistant([thinking('hm')])], [assistant([{ type: 'redacted_thinking' }])]])(
    'ignore an empty prefill: %j',
    (last) => {
      const { messages, prefill } = conversationOf([user('q'), last]);
      expect({ prefill, lines: messages.map(lineOf) }).toEqual({ prefill: undefined, lines: ['user: q'] });
    },
  );

  it.each<[string, unknown[]]>([
    [
      'messages.1.content.1: This tool_use has no tool_result in the user messages after it.',
      [user('q'), assistant([text('x'), toolUse('a')])],
    ],
    [
      'messages.1.content.0: This tool_use has no tool_result in the user messages after it.',
      [user('q'), assistant([toolUse('a')]), user('b')],
    ],
    [
      'messages.1.content.1: This tool_use has no tool_result in the user messages after it.',
      [user('q'), assistant([toolUse('a'), toolUse('b')]), user([result('a')]), assistant('x'), user('y')],
    ],
    ['messages.0.content.0.tool_use_id: There is no tool_use with this id in the assistant message before it.', [user([result('a')])]],
    [
      'messages.2.content.1.tool_use_id: There is no tool_use with this id in the assistant message before it.',
      [user('q'), assistant([toolUse('a')]), user([result('a'), result('a')])],
    ],
    [
      'messages.4.content.0.tool_use_id: There is no tool_use with this id in the assistant message before it.',
      [user('q'), assistant([toolUse('a')]), user([result('a')]), assistant('x'), user([result('a')])],
    ],
    ['messages.1.content.1.id: Another tool_use of this turn has the same id.', [user('q'), assistant([toolUse('a'), toolUse('a')])]],
    ['messages.1.content.0.id: Expected a string that is neither empty nor holds a NUL.', [user('q'), assistant([toolUse('')])]],
    ['messages.1.content.0.input: Expected an object.', [user('q'), assistant([{ ...toolUse('a'), input: '{}' }])]],
    ['messages.1.content.0.type: No block of this type can stand in an assistant message.', [user('q'), assistant([result('a')])]],
    [
      'messages.2.content.0.content.0.type: No block of this type can stand in a tool result.',
      [user('q'), assistant([toolUse('a')]), user([result('a', [toolUse('b')])])],
    ],
    [
      'messages.2.content.0.is_error: Expected a boolean.',
      [user('q'), assistant([toolUse('a')]), user([result('a', 'x', { is_error: 'no' })])],
    ],
  ])('that does not add up is refused: %s', (message, messages) => {
    expect(() => conversationOf(messages)).toThrow(expect.objectContaining({ message }));
  });

  it('of thousands of turns is read in a moment', () => {
    const turns = Array.from({ length: 20_000 }, (_, i) => [user([result(`c${i}`), text('x')]), assistant([toolUse(`c${i + 1}`)])]).flat();
    expect(conversationOf([user('q'), assistant([toolUse('c0')]), ...turns, user([result('c20000')])]).messages).toHaveLength(60_003);
  });
});

describe('tools', () => {
  const SCHEMA = { type: 'object', properties: { q: { type: 'string' } } };
  const TOOL = { name: 'look', description: 'Looks.', input_schema: SCHEMA };

  it('pass on only what the model needs', () => {
    const noise = {
      type: 'custom',
      cache_control: { type: 'ephemeral' },
      eager_input_streaming: true,
      input_examples: [{ q: 'x' }],
      allowed_callers: ['direct'],
    };
    const schema = { $schema: 'https://json-schema.org/draft/2020-12/schema', cache_control: null, ...SCHEMA };
    const tools = [
      { ...TOOL, ...noise, input_schema: schema, strict: true },
      { name: 'b.c-d', type: null, input_schema: SCHEMA },
    ];
    expect(read({ tools }).canonical.tools).toEqual([
      { name: 'look', description: 'Looks.', parameters: SCHEMA, strict: true },
      { name: 'b.c-d', parameters: SCHEMA },
    ]);
  });

  it('appear once a result names them, if deferred', () => {
    const tools = [TOOL, { ...TOOL, name: 'grep', defer_loading: true }, { ...TOOL, name: 'glob', defer_loading: true }];
    const reference = result('a', [{ type: 'tool_reference', tool_name: 'glob' }]);
    const messages = [user('q'), assistant([toolUse('a')]), user([reference]), assistant('x'), user('y')];
    expect(read({ tools }).canonical.tools?.map(({ name }) => name)).toEqual(['look']);
    expect(read({ tools, messages }).canonical.tools?.map(({ name }) => name)).toEqual(['look', 'glob']);
  });

  it.each<[object | undefined, object]>([
    [undefined, {}],
    [{ type: 'auto' }, { tool_choice: 'auto' }],
    [{ type: 'any' }, { tool_choice: 'required' }],
    [{ type: 'none' }, { tool_choice: 'none' }],
    [{ type: 'tool', name: 'look' }, { tool_choice: { name: 'look' } }],
    [
      { type: 'any', disable_parallel_tool_use: true },
      { tool_choice: 'required', parallel_tool_calls: false },
    ],
    [{ type: 'auto', disable_parallel_tool_use: false }, { tool_choice: 'auto' }],
  ])('with the choice %j become %j', (choice, expected) => {
    const { tool_choice, parallel_tool_calls } = read({ tools: [TOOL], tool_choice: choice }).canonical;
    expect({ ...(tool_choice && { tool_choice }), ...(parallel_tool_calls === false && { parallel_tool_calls }) }).toEqual(expected);
  });
});
