import { type DeploymentFacts, ServiceError } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import type { ResolvedDeployment } from '../../deployments/deployment-resolver.service.js';
import { messagesErrorBody } from './messages.errors.js';
import { type MessagesRequest, readCountRequest, readMessagesRequest } from './messages.request.js';

const deployment = (caps: string[] = []): ResolvedDeployment => ({
  facts: { context: 4096, caps } as unknown as DeploymentFacts,
  slug: 'deployment-1',
  alias: undefined,
  isNamed: (model) => ['deployment-1', 'demo', 'acme/demo'].includes(model),
});
const POLICY = { imageHosts: ['images.example'] };
const MINIMAL = { model: 'deployment-1', max_tokens: 100, messages: [{ role: 'user', content: 'hi' }] };
const read = (fields: object = {}, caps?: string[]): MessagesRequest =>
  readMessagesRequest({ ...MINIMAL, ...fields }, deployment(caps), POLICY);
const user = (content: unknown): object => ({ role: 'user', content });
const assistant = (content: unknown): object => ({ role: 'assistant', content });
const instruction = (content: unknown): object => ({ role: 'system', content });
const text = (value: string): object => ({ type: 'text', text: value });
const toolUse = (id: string): object => ({ type: 'tool_use', id, name: 'look', input: {} });
const faultOf = (fields: object, caps?: string[]): ServiceError => {
  try {
    read(fields, caps);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  return expect.unreachable('It was not refused.');
};
const PNG = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw==' } };
const TOOL = { name: 'look', input_schema: { type: 'object', properties: {} } };
const tool = (fields: object): object => ({ tools: [{ ...TOOL, ...fields }] });

describe('a messages request', () => {
  it('becomes the canonical request, with what it sets and nothing else', () => {
    expect(read()).toEqual({
      canonical: {
        messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
        sampling: {},
        stop: [],
        max_tokens: 100,
        reasoning: { enabled: false },
      },
      stream: false,
      affinity: undefined,
      thinking: 'dropped',
      maxTokens: 100,
      oneCall: false,
    });
  });

  it('hands on sampling, more than four stop sequences and streaming', () => {
    const stops = ['a', 'b', 'c', 'd', 'e'];
    const { canonical, stream } = read({ temperature: 1.5, top_p: 0.9, top_k: 5, stop_sequences: stops, stream: true });
    expect(canonical).toMatchObject({ sampling: { temperature: 1.5, top_p: 0.9, top_k: 5 }, stop: stops });
    expect(stream).toBe(true);
  });

  it('with a nucleus of nothing asks for the most probable token', () => {
    expect(read({ temperature: 0.7, top_p: 0 }).canonical.sampling).toEqual({ temperature: 0 });
  });

  it('for more tokens than the context holds gets what fits', () => {
    expect(read({ max_tokens: 32_000 })).toMatchObject({ canonical: { max_tokens: 4096 }, maxTokens: 32_000 });
  });

  it('for no tokens has its prompt evaluated with the least that engines produce', () => {
    expect(read({ max_tokens: 0 })).toMatchObject({ canonical: { max_tokens: 1 }, maxTokens: 0 });
  });

  it.each(['deployment-1', 'demo', 'acme/demo'])('names its deployment as %s', (model) => {
    expect(read({ model }).canonical.max_tokens).toBe(100);
  });

  it.each<[string, object]>([
    ['cache control', { cache_control: { type: 'ephemeral', ttl: '1h' } }],
    ['metadata', { metadata: { user_id: 'x'.repeat(300) } }],
    ['a budget of the task', { output_config: { task_budget: { type: 'tokens', total: 5 } } }],
    ['edits of what is not kept', { context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] } }],
    ['empty lists', { tools: [], mcp_servers: [], fallbacks: [], container: null, thread: null }],
    ['a tool choice that asks for nothing', { tool_choice: { type: 'auto', disable_parallel_tool_use: true } }],
    ['tiers', { service_tier: 'auto', speed: 'fast', inference_geo: 'x', diagnostics: {}, billing_policy: {}, betas: ['x'] }],
    ['fields that nobody knows', { made_up: { deep: [1] } }],
    ['nulls', { temperature: null, stop_sequences: null, system: null, stream: null, metadata: { user_id: null }, output_config: null }],
  ])('rule 13: takes %s, and hands nothing of it on', (_, fields) => {
    expect(read(fields)).toEqual(read());
  });

  it.each<[object | undefined, MessagesRequest['thinking'], object]>([
    [undefined, 'dropped', { enabled: false }],
    [{ type: 'disabled' }, 'dropped', { enabled: false }],
    [{ type: 'between_tools' }, 'dropped', { enabled: false }],
    [{ type: 'adaptive' }, 'shown', { enabled: true }],
    [{ type: 'adaptive', display: 'omitted' }, 'omitted', { enabled: true }],
    [{ type: 'enabled', budget_tokens: 1024, display: 'summarized' }, 'shown', { enabled: true, budget: 1024 }],
    [{ type: 'enabled', budget_tokens: 1024, display: null }, 'shown', { enabled: true, budget: 1024 }],
  ])('rule 7: with thinking %j has thoughts %s, and asks for %j', (thinking, display, reasoning) => {
    expect(read({ max_tokens: 2048, thinking })).toMatchObject({ thinking: display, canonical: { reasoning } });
  });

  it('rule 7: with thinking between tools thinks about the results of its calls', () => {
    const result = { type: 'tool_result', tool_use_id: 'a', content: 'ok' };
    const messages = [user('q'), assistant([toolUse('a')]), user([result])];
    expect(read({ messages, thinking: { type: 'between_tools' } })).toMatchObject({
      thinking: 'shown',
      canonical: { reasoning: { enabled: true } },
    });
  });

  it.each<[object, object]>([
    [{ output_config: { effort: 'max' } }, { effort: 'max' }],
    [
      { output_config: { effort: 'high' }, thinking: { type: 'adaptive' } },
      { enabled: true, effort: 'high' },
    ],
    [{ output_config: { effort: 'low' }, thinking: { type: 'disabled' } }, { enabled: false }],
    [{ output_config: { effort: null } }, { enabled: false }],
  ])('rule 7: with %j asks for reasoning %j', (fields, reasoning) => {
    expect(read(fields).canonical.reasoning).toEqual(reasoning);
  });

  it.each([
    { output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } },
    { output_format: { type: 'json_schema', schema: { type: 'object' } } },
  ])('rule 12: with %j gets an answer of that form', (fields) => {
    expect(read(fields).canonical.output).toEqual({ kind: 'json_schema', name: 'output', schema: { type: 'object' }, strict: true });
  });

  it('keeps images that came with it, and asks workers for those on hosts that are allowed', () => {
    const remote = { type: 'image', source: { type: 'url', url: 'https://images.example/a.png' } };
    const [message] = read({ messages: [user([text('a'), PNG, remote, text('b'), text('c')])] }).canonical.messages;
    expect(message?.content).toEqual([
      { type: 'text', text: 'a' },
      { type: 'image', url: 'data:image/png;base64,iVBORw==' },
      { type: 'image', url: 'https://images.example/a.png' },
      { type: 'text', text: 'b\n\nc' },
    ]);
  });

  it.each<[object, string]>([
    [{ type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'All.' }, title: 'T', context: 'C' }, 'T\nC\n\nAll.'],
    [{ type: 'document', source: { type: 'content', content: 'All.' } }, 'All.'],
    [{ type: 'document', source: { type: 'content', content: [text('One.'), text('Two.')] } }, 'One.\n\nTwo.'],
    [
      { type: 'search_result', title: 'T', source: 'https://x.example', content: [text('One.'), text('Two.')] },
      'T\nhttps://x.example\nOne.\nTwo.',
    ],
  ])('reads %j as text', (block, expected) => {
    expect(read({ messages: [user([block])] }).canonical.messages).toEqual([user([text(expected)])]);
  });
});

describe('a count of tokens', () => {
  const count = (fields: object): unknown => readCountRequest({ ...MINIMAL, max_tokens: undefined, ...fields }, deployment(), POLICY);

  it('asks for the prompt of the very request that would be answered', () => {
    const fields = { system: 's', tools: [TOOL], thinking: { type: 'adaptive' }, tool_choice: { type: 'any' } };
    const { max_tokens: _, ...asked } = read({ ...fields, max_tokens: 50, stream: true }).canonical;
    expect(count({ ...fields, max_tokens: 50, stream: true })).toEqual(asked);
    expect(count(fields)).toEqual(asked);
  });

  it('is refused for what a message is refused for', () => {
    expect(() => count({ messages: [] })).toThrow('messages: ');
    expect(() => count({ max_tokens: -1 })).toThrow('max_tokens: ');
    expect(() => count({ thread: { type: 'create' } })).toThrow('thread: ');
  });
});

describe('a wrong messages request', () => {
  it.each<[object, string, string]>([
    [{ max_tokens: undefined }, 'missing_required_parameter', 'max_tokens: Field required'],
    [{ messages: undefined }, 'missing_required_parameter', 'messages: Field required'],
    [{ model: undefined }, 'missing_required_parameter', 'model: Field required'],
    [{ model: 'gpt-4' }, 'model_mismatch', 'model: It names another deployment than the URL; send "deployment-1".'],
    [{ max_tokens: -1 }, 'invalid_value', 'max_tokens: Expected number to be >=0.'],
    [{ max_tokens: 1.5 }, 'invalid_type', 'max_tokens: Expected int, received number.'],
    [{ max_tokens: '5' }, 'invalid_type', 'max_tokens: Expected number, received string.'],
    [{ max_tokens: true }, 'invalid_type', 'max_tokens: Expected number, received boolean.'],
    [{ temperature: 2.1 }, 'invalid_value', 'temperature: Expected number to be <=2.'],
    [{ temperature: '0.7' }, 'invalid_type', 'temperature: Expected number, received string.'],
    [{ top_p: -0.1 }, 'invalid_value', 'top_p: Expected number to be >=0.'],
    [{ top_k: -1 }, 'invalid_value', 'top_k: Expected number to be >=0.'],
    [{ stream: 'yes' }, 'invalid_type', 'stream: Expected boolean, received string.'],
    [{ stop_sequences: ['a', ' '] }, 'invalid_value', 'stop_sequences.1: A stop sequence must hold more than whitespace.'],
    [{ stop_sequences: 'a' }, 'invalid_type', 'stop_sequences: Expected array, received string.'],
    [
      { stop_sequences: Array.from({ length: 257 }, () => 'a') },
      'array_above_max_length',
      'stop_sequences: Expected array to have <=256 items.',
    ],
    [{ metadata: { note: 'x'.repeat(20_000) } }, 'invalid_value', 'metadata: Expected at most 16384 characters of JSON.'],
    [{ model: { length: { toString: 1 } } }, 'missing_required_parameter', 'model: Field required'],
    [{ messages: [] }, 'empty_array', 'messages: Expected array to have >=1 items.'],
    [{ messages: ['x'] }, 'invalid_type', 'messages.0: Expected an object.'],
    [{ messages: [{ content: 'x' }] }, 'missing_required_parameter', 'messages.0.role: Field required'],
    [{ messages: [{ role: 'tool', content: 'x' }] }, 'invalid_value', 'messages.0.role: Expected user, assistant or system.'],
    [{ messages: [{ role: 'user' }] }, 'missing_required_parameter', 'messages.0.content: Field required'],
    [{ messages: [user('')] }, 'invalid_value', 'messages.0.content: The content of a user message must not be empty.'],
    [{ messages: [user([])] }, 'invalid_value', 'messages.0.content: The content of a user message must not be empty.'],
    [{ messages: [user(7)] }, 'invalid_type', 'messages.0.content: Expected a string or an array of blocks.'],
    [{ messages: [user([{ type: 'text' }])] }, 'missing_required_parameter', 'messages.0.content.0.text: Field required'],
    [{ messages: [user([{ text: 'x' }])] }, 'missing_required_parameter', 'messages.0.content.0.type: Field required'],
    [{ messages: [instruction('s')] }, 'invalid_value', 'messages: At least one user message is required.'],
    [{ messages: [assistant('s')] }, 'invalid_value', 'messages: At least one user message is required.'],
    [{ system: 7 }, 'invalid_type', 'system: Expected a string or an array of blocks.'],
    [{ system: [PNG] }, 'unsupported_content', 'system.0.type: No block of this type can stand in the system prompt.'],
    [{ container: 'c' }, 'unsupported_parameter', 'container: Not supported; send the request without it.'],
    [{ mcp_servers: [{ url: 'x' }] }, 'unsupported_parameter', 'mcp_servers: Not supported; send the request without it.'],
    [
      { context_management: { edits: [{ type: 'compact_20260112' }] } },
      'unsupported_value',
      'context_management.edits.0.type: Conversations are not compacted here.',
    ],
    [{ thinking: { type: 'enabled', budget_tokens: 100 } }, 'invalid_value', 'thinking.budget_tokens: Expected number to be >=1024.'],
    [{ thinking: { type: 'enabled', budget_tokens: 2000 } }, 'invalid_value', 'thinking.budget_tokens: Expected less than max_tokens.'],
    [{ output_config: { format: { type: 'xml' } } }, 'unsupported_value', 'output_config.format.type: Expected json_schema.'],
    [{ output_config: { format: { type: 'json_schema' } } }, 'missing_required_parameter', 'output_config.format.schema: Field required'],
    [{ output_format: 'json' }, 'invalid_type', 'output_format: Expected an object.'],
  ])('%j is refused with %s: %s', (fields, code, message) => {
    const error = faultOf(fields);
    expect([error.code, error.message]).toEqual([code, message]);
    expect(message.startsWith(`${error.param}: `)).toBe(true);
  });

  const IN_CONTENT = 'No block of this type can stand in a user message.';
  it.each<[object, string, string]>([
    [{ type: 'thinking', thinking: 'x' }, 'type', IN_CONTENT],
    [toolUse('a'), 'type', IN_CONTENT],
    [{ type: 'constructor' }, 'type', IN_CONTENT],
    [{ type: 'server_tool_use', id: 'a' }, 'type', 'No tool runs here; this block cannot be understood.'],
    [{ type: 'web_search_tool_result', content: [] }, 'type', 'No tool runs here; this block cannot be understood.'],
    [{ type: 'container_upload' }, 'type', 'No tool runs here; this block cannot be understood.'],
    [{ type: 'image' }, 'source', 'Field required'],
    [{ type: 'image', source: { type: 'file', file_id: 'f' } }, 'source.type', 'Send the image as base64; no files are kept here.'],
    [
      { ...PNG, source: { ...PNG.source, media_type: 'image/svg+xml' } },
      'source.media_type',
      'Expected image/jpeg, image/png, image/gif or image/webp.',
    ],
    [{ ...PNG, source: { ...PNG.source, data: 'no base64!' } }, 'source.data', 'Not valid base64.'],
    [{ ...PNG, source: { ...PNG.source, data: '' } }, 'source.data', 'Not valid base64.'],
    [
      { type: 'document', source: { type: 'base64', data: 'x' } },
      'source.type',
      'Only documents of text or content blocks can be read here.',
    ],
    [{ type: 'document', source: { type: 'url', url: 'x' } }, 'source.type', 'Only documents of text or content blocks can be read here.'],
    [
      { type: 'search_result', title: 'T', source: 's', content: [PNG] },
      'content.0.type',
      'No block of this type can stand in a search result.',
    ],
  ])('block %j is refused at its %s: %s', (block, at, message) => {
    expect(faultOf({ messages: [user([text('x'), block])] }).message).toBe(`messages.0.content.1.${at}: ${message}`);
  });

  it.each(['https://169.254.169.254/x', 'http://images.example/x', 'file:///etc/passwd', 'https://images.example.evil/x', 'x'])(
    'image at %s is refused, and its address is not repeated',
    (url) => {
      const error = faultOf({ messages: [user([{ type: 'image', source: { type: 'url', url } }])] });
      expect(error.message).toMatch(/^messages\.0\.content\.0\.source\.url: The URL must be a data: URL/);
      expect(error.message.split('images.example,')[0]).not.toContain('169.254');
    },
  );

  it.each<[object, string, string]>([
    [{ tools: {} }, 'tools', 'Expected an array.'],
    [{ tools: ['x'] }, 'tools.0', 'Expected an object.'],
    [tool({ type: 'web_search_20250305' }), 'tools.0.type', 'Only custom tools can be called.'],
    [tool({ type: 'bash_20250124' }), 'tools.0.type', 'Only custom tools can be called.'],
    [tool({ name: undefined }), 'tools.0.name', 'Field required'],
    [tool({ name: 'x'.repeat(300) }), 'tools.0.name', 'Expected 1 to 128 letters, digits, dots, dashes and underscores.'],
    [tool({ name: 'a b' }), 'tools.0.name', 'Expected 1 to 128 letters, digits, dots, dashes and underscores.'],
    [tool({ input_schema: undefined }), 'tools.0.input_schema', 'Field required'],
    [tool({ input_schema: { properties: {} } }), 'tools.0.input_schema.type', 'Field required'],
    [tool({ input_schema: { type: 'string' } }), 'tools.0.input_schema.type', 'Expected object.'],
    [tool({ input_schema: { type: 'object', x: 'y'.repeat(300_000) } }), 'tools.0.input_schema', 'Longer than 262144 characters.'],
    [tool({ strict: 'yes' }), 'tools.0.strict', 'Expected a boolean.'],
    [{ tools: [TOOL, TOOL] }, 'tools.1.name', 'An earlier tool has the same name.'],
    [{ tools: Array.from({ length: 1_001 }, (_, i) => ({ ...TOOL, name: `t${i}` })) }, 'tools', 'At most 1000 tools can be offered.'],
    [{ tool_choice: { type: 'any' } }, 'tool_choice', 'Without tools that the model is shown, only auto and none make sense.'],
    [{ tools: [TOOL], tool_choice: { type: 'tool', name: 'other' } }, 'tool_choice.name', 'The model is shown no tool of this name.'],
    [{ tools: [TOOL], tool_choice: { type: 'tool' } }, 'tool_choice.name', 'Field required'],
    [{ tools: [TOOL], tool_choice: { type: 'required' } }, 'tool_choice.type', 'Expected auto, any, tool or none.'],
    [{ tools: [TOOL], tool_choice: 'auto' }, 'tool_choice', 'Expected an object.'],
  ])('tools %j are refused at %s: %s', (fields, param, message) => {
    const error = faultOf(fields);
    expect([error.param, error.message]).toEqual([param, `${param}: ${message}`]);
  });

  it('that sends only a part of its conversation makes the official SDK send the whole', () => {
    expect(faultOf({ thread: { type: 'create' } })).toMatchObject({ param: 'thread', facts: { error_code: 'thread_unsupported_request' } });
  });

  const SCHEMA = { type: 'json_schema', schema: { type: 'object' } };
  it.each<[string, object, string]>([
    ['images', { messages: [user([text('x'), PNG])] }, 'messages.0.content.1: This model does not accept images.'],
    ['tools', { tools: [TOOL] }, 'tools: This model cannot call tools.'],
    [
      'tool_choice',
      { tools: [TOOL], tool_choice: { type: 'any' } },
      'tool_choice.type: This engine cannot force a call; use auto or none.',
    ],
    ['json_schema', { output_config: { format: SCHEMA } }, 'output_config.format: This engine cannot keep an answer to a JSON schema.'],
    ['json_schema', { output_format: SCHEMA }, 'output_format: This engine cannot keep an answer to a JSON schema.'],
    [
      'continue_final',
      { messages: [user('x'), assistant('y')] },
      'messages.1: This engine cannot continue an answer; end with a user message.',
    ],
    ['top_k', { top_k: 5 }, 'top_k: This engine does not know it.'],
  ])('that needs %s of an engine without it is refused: %j', (word, fields, message) => {
    const all = ['images', 'tools', 'tool_choice', 'json_schema', 'continue_final', 'top_k'];
    expect(read(fields, all).maxTokens).toBe(100);
    expect(read(fields, []).maxTokens).toBe(100);
    const error = faultOf(fields, [...all.filter((one) => one !== word), 'seed']);
    expect(error.message).toBe(message);
    expect(JSON.parse(messagesErrorBody(error, 'req_1'))).toMatchObject({ error: { type: 'invalid_request_error', message } });
  });
});
