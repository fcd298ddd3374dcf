import type { ServiceError } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { read as readBody, user } from './request.samples.js';

const PNG = 'data:image/png;base64,iVBORw0KGgo=';
/** The fourth message of a conversation as engines get it. */
const read = (message: object, imageHosts: string[] = []) =>
  readBody({ messages: [user, user, user, message] }, { imageHosts }).canonical.messages[3]!;
const text = (content: string) => [{ type: 'text', text: content }];
const call = (fields: object = {}) => ({ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"a":1}' }, ...fields });
const assistant = (fields: object) => read({ role: 'assistant', content: null, ...fields });
const faultOf = (message: object): { code: string; param: string | undefined } => {
  try {
    read(message);
  } catch (error) {
    const { code, param, message: words } = error as ServiceError;
    expect(words).toMatch(/^[A-Z'].*\.$/);
    return { code, param };
  }
  throw new Error('The message was accepted.');
};

describe('a user’s message', () => {
  const image = { type: 'image_url', image_url: { url: PNG, detail: 'high' } };

  it('keeps texts and images in order', () => {
    const content = [{ type: 'text', text: 'this: ' }, image, { type: 'text', text: 'and' }, { type: 'text', text: ' that' }];
    expect(read({ role: 'user', content }).content).toEqual([
      ...text('this: '),
      { type: 'image', url: PNG },
      ...text('and'),
      ...text(' that'),
    ]);
  });

  it.each([
    ['at a web address', { url: 'https://x.example/y.png' }, '', 'unsupported_content'],
    ['in a file', { url: 'file:///etc/passwd' }, '', 'unsupported_content'],
    ['of the cloud’s metadata', { url: 'http://169.254.169.254/' }, '', 'unsupported_content'],
    ['that is a page', { url: 'data:text/html;base64,AAAA' }, '', 'unsupported_content'],
    ['without an address', {}, '.url', 'missing_required_parameter'],
    ['as text', PNG, '', 'invalid_type'],
    ['in unknown detail', { url: PNG, detail: 'max' }, '.detail', 'invalid_value'],
  ])('with an image %s is refused', (_, imageUrl, at, code) => {
    const content = [
      { type: 'text', text: 'x' },
      { type: 'image_url', image_url: imageUrl },
    ];
    expect(faultOf({ role: 'user', content })).toEqual({ code, param: `messages[3].content[1].image_url${at}` });
  });

  it('with an image on an allowed host keeps it', () => {
    const url = 'https://x.example/y.png';
    const content = [{ type: 'image_url', image_url: { url } }];
    expect(read({ role: 'user', content }, ['x.example']).content).toEqual([{ type: 'image', url }]);
  });

  it.each(['system', 'developer', 'assistant', 'tool'])('alone has images, unlike the role %s', (role) => {
    expect(faultOf({ role, content: [image], tool_call_id: 'a' })).toEqual({
      code: 'unsupported_content',
      param: 'messages[3].content[0].image_url',
    });
  });
});

describe('an assistant’s message', () => {
  it.each([null, undefined, '', []])('with calls may say %j', (content) => {
    expect(read({ role: 'assistant', content, tool_calls: [call()] })).toEqual({
      role: 'assistant',
      content: [],
      tool_calls: [{ id: 'call_1', name: 'f', arguments: '{"a":1}' }],
    });
  });

  it('keeps what was said beside calls, and its name', () => {
    expect(assistant({ content: 'Let me see.', name: 'bot', tool_calls: [call(), call({ id: 'x9' })] })).toMatchObject({
      content: text('Let me see.'),
      name: 'bot',
      tool_calls: [{ id: 'call_1' }, { id: 'x9' }],
    });
  });

  it.each([
    ['', '{}'],
    [' ', '{}'],
    [null, '{}'],
    [undefined, '{}'],
    [{ a: 1 }, '{"a":1}'],
    ['{ "a" : 1 }', '{ "a" : 1 }'],
  ])('with the arguments %j goes on with %s', (given, expected) => {
    const calls = [call({ function: { name: 'f', arguments: given } })];
    expect(assistant({ tool_calls: calls })).toMatchObject({ tool_calls: [{ arguments: expected }] });
  });

  it.each([
    ['of broken JSON', call({ function: { name: 'f', arguments: '{"a":' } }), '.function.arguments', 'invalid_value'],
    ['of a list', call({ function: { name: 'f', arguments: '[1]' } }), '.function.arguments', 'invalid_value'],
    [
      'that no reader could follow down',
      call({ function: { name: 'f', arguments: `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}` } }),
      '.function.arguments',
      'json_too_deep',
    ],
    ['of a number', call({ function: { name: 'f', arguments: 5 } }), '.function.arguments', 'invalid_type'],
    ['without a name', call({ function: { arguments: '{}' } }), '.function.name', 'missing_required_parameter'],
    ['without a function', call({ function: undefined }), '.function', 'missing_required_parameter'],
    ['without an id', call({ id: undefined }), '.id', 'missing_required_parameter'],
    ['with an empty id', call({ id: '' }), '.id', 'missing_required_parameter'],
    ['of another type', call({ type: 'custom', custom: { name: 'x', input: 'y' } }), '.type', 'unsupported_content'],
    ['that is text', 'f()', '', 'invalid_type'],
  ])('with a call %s is refused', (_, broken, at, code) => {
    expect(faultOf({ role: 'assistant', tool_calls: [call(), broken] })).toEqual({ code, param: `messages[3].tool_calls[1]${at}` });
  });

  it('with more calls than 128 is refused', () => {
    const param = 'messages[3].tool_calls';
    expect(faultOf({ role: 'assistant', tool_calls: Array.from({ length: 129 }, () => call()) })).toEqual({
      code: 'array_above_max_length',
      param,
    });
    expect(faultOf({ role: 'assistant', tool_calls: 'f' })).toEqual({ code: 'invalid_type', param });
    expect(faultOf({ role: 'assistant', content: null, tool_calls: [] })).toEqual({ code: 'invalid_type', param: 'messages[3].content' });
    expect(faultOf({ role: 'assistant', function_call: { name: 'f', arguments: '' } })).toEqual({
      code: 'unsupported_content',
      param: 'messages[3].function_call',
    });
  });

  it('keeps its reasoning under either name', () => {
    expect(assistant({ content: 'a', reasoning_content: 'hm' })).toMatchObject({ reasoning: 'hm' });
    expect(assistant({ content: 'a', reasoning: 'hm' })).toMatchObject({ reasoning: 'hm' });
    expect(assistant({ content: 'a', reasoning: { id: 1 }, reasoning_content: '' })).not.toHaveProperty('reasoning');
    expect(faultOf({ role: 'assistant', content: 'a', reasoning_content: 5 })).toEqual({
      code: 'invalid_type',
      param: 'messages[3].reasoning_content',
    });
  });

  it('says its refusal where it says nothing else', () => {
    expect(assistant({ refusal: 'No.' })).toMatchObject({ content: text('No.') });
    expect(assistant({ content: 'Yes.', refusal: null })).toMatchObject({ content: text('Yes.') });
    const content = [
      { type: 'text', text: 'I ' },
      { type: 'refusal', refusal: 'will not.' },
    ];
    expect(assistant({ content })).toMatchObject({ content: text('I will not.') });
  });
});

describe('a tool’s message', () => {
  it('keeps any call id, even an unknown one', () => {
    const content = [
      { type: 'text', text: '{"t":' },
      { type: 'text', text: '20}' },
    ];
    expect(read({ role: 'tool', tool_call_id: 'abc123XYZ', name: 'f', content })).toEqual({
      role: 'tool',
      content: text('{"t":20}'),
      tool_call_id: 'abc123XYZ',
      name: 'f',
    });
  });

  it.each([
    ['no id', { tool_call_id: undefined }, '.tool_call_id', 'missing_required_parameter'],
    ['an empty id', { tool_call_id: '' }, '.tool_call_id', 'missing_required_parameter'],
    ['a number for an id', { tool_call_id: 5 }, '.tool_call_id', 'invalid_type'],
    ['null for content', { content: null }, '.content', 'invalid_type'],
    ['no parts', { content: [] }, '.content', 'empty_array'],
  ])('with %s gets an invalid request error', (_, fields, at, code) => {
    expect(faultOf({ role: 'tool', tool_call_id: 'a', content: 'x', ...fields })).toEqual({ code, param: `messages[3]${at}` });
  });
});
