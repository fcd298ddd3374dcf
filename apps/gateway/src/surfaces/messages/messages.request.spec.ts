import { type CanonicalMessage, type DeploymentFacts, ServiceError, textOf } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import type { ResolvedDeployment } from '../../deployments/deployment-resolver.service.js';
import { type MessagesRequest, readMessagesRequest } from './messages.request.js';

const deployment: ResolvedDeployment = {
  facts: { context: 4096 } as DeploymentFacts,
  slug: 'deployment-1',
  alias: undefined,
  isNamed: (model) => ['deployment-1', 'demo', 'acme/demo'].includes(model),
};
const MINIMAL = { model: 'deployment-1', max_tokens: 100, messages: [{ role: 'user', content: 'hi' }] };
const read = (fields: object = {}): MessagesRequest => readMessagesRequest({ ...MINIMAL, ...fields }, deployment);
const turnsOf = (messages: unknown[], system?: unknown): string[] =>
  read({ messages, ...(system !== undefined && { system }) }).canonical.messages.map(
    (message: CanonicalMessage) => `${message.role}: ${textOf(message)}`,
  );
const user = (content: unknown): object => ({ role: 'user', content });
const assistant = (content: unknown): object => ({ role: 'assistant', content });
const instruction = (content: unknown): object => ({ role: 'system', content });
const text = (value: string, rest: object = {}): object => ({ type: 'text', text: value, ...rest });
const faultOf = (fields: object): ServiceError => {
  try {
    read(fields);
  } catch (error) {
    if (error instanceof ServiceError) return error;
  }
  return expect.unreachable('It was not refused with a ServiceError.');
};

describe('a messages request', () => {
  it('becomes the canonical request, with what it sets and nothing else', () => {
    expect(read()).toEqual({
      canonical: { messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }], sampling: {}, stop: [], max_tokens: 100 },
      stream: false,
      affinity: undefined,
      thinking: 'dropped',
      maxTokens: 100,
    });
  });

  it('hands on sampling, stop sequences and streaming', () => {
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
    ['effort', { output_config: { effort: 'max', task_budget: { type: 'tokens', total: 5 } } }],
    ['edits of what is not kept', { context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] } }],
    ['empty lists', { tools: [], mcp_servers: [], fallbacks: [], container: null, thread: null }],
    ['a tool choice that asks for nothing', { tool_choice: { type: 'auto' } }],
    ['tiers', { service_tier: 'auto', speed: 'fast', inference_geo: 'x', diagnostics: {}, billing_policy: {}, betas: ['x'] }],
    ['fields that nobody knows', { made_up: { deep: [1] } }],
    ['nulls', { temperature: null, stop_sequences: null, system: null, stream: null, metadata: { user_id: null }, output_config: null }],
  ])('takes %s, without effect', (_, fields) => {
    expect(read(fields)).toEqual(read());
  });

  it.each<[object | undefined, MessagesRequest['thinking']]>([
    [undefined, 'dropped'],
    [{ type: 'disabled' }, 'dropped'],
    [{ type: 'between_tools' }, 'dropped'],
    [{ type: 'adaptive' }, 'shown'],
    [{ type: 'adaptive', display: 'omitted' }, 'omitted'],
    [{ type: 'enabled', budget_tokens: 1024, display: 'summarized' }, 'shown'],
    [{ type: 'enabled', budget_tokens: 1024, display: null }, 'shown'],
  ])('with thinking %j has thoughts %s', (thinking, expected) => {
    expect(read({ max_tokens: 2048, thinking }).thinking).toBe(expected);
  });
});

describe('a conversation', () => {
  it.each<[string, string[], unknown[], unknown?]>([
    ['of strings stays as it is', ['user: a', 'assistant: b', 'user: c'], [user('a'), assistant('b'), user('c')]],
    [
      'of blocks becomes text',
      ['user: a\n\nb'],
      [user([text('a', { cache_control: { type: 'ephemeral' } }), text('b', { citations: null })])],
    ],
    ['joins the pieces of an answer', ['user: a', 'assistant: bc', 'user: d'], [user('a'), assistant([text('b'), text('c')]), user('d')]],
    ['merges equal roles', ['user: a\n\nb', 'assistant: c', 'user: d'], [user('a'), user('b'), assistant('c'), user('d')]],
    ['begins with the system prompt', ['system: s', 'user: a'], [user('a')], 's'],
    ['joins system blocks by a blank line', ['system: s\n\nt', 'user: a'], [user('a')], [text('s', { cache_control: null }), text('t')]],
    ['has no system message for an empty prompt', ['user: a'], [user('a')], [text('')]],
    [
      'loses the line in which a client describes itself',
      ['system: s', 'user: a'],
      [user('a')],
      [text('x-anthropic-billing-header: cc_version=1; cch=9'), text('s')],
    ],
    ['takes leading instructions into the prompt', ['system: s\n\nt', 'user: a'], [instruction([text('t')]), user('a')], 's'],
    ['takes later instructions into the turn before', ['user: a\n\nt'], [user('a'), instruction('t')]],
    [
      'takes instructions after an answer into the turn that follows',
      ['user: a', 'assistant: b', 'user: t\n\nc'],
      [user('a'), assistant('b'), instruction('t'), user('c')],
    ],
    ['drops empty blocks', ['user: a'], [user([text(''), text('a')])]],
    ['drops an empty answer at its end', ['user: a'], [user('a'), assistant('')]],
    [
      'leaves thoughts of earlier turns out',
      ['user: a', 'assistant: b', 'user: c'],
      [user('a'), assistant([{ type: 'thinking', thinking: 'x' }, { type: 'redacted_thinking', data: 'y' }, text('b')]), user('c')],
    ],
  ])('%s', (_, expected, messages, system) => {
    expect(turnsOf(messages, system)).toEqual(expected);
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
    [{ temperature: 2.1 }, 'invalid_value', 'temperature: Expected number to be <=2.'],
    [{ top_p: -0.1 }, 'invalid_value', 'top_p: Expected number to be >=0.'],
    [{ top_k: -1 }, 'invalid_value', 'top_k: Expected number to be >=0.'],
    [{ stream: 'yes' }, 'invalid_type', 'stream: Expected boolean, received string.'],
    [{ stop_sequences: ['a', ' '] }, 'invalid_value', 'stop_sequences.1: A stop sequence must hold more than whitespace.'],
    [{ stop_sequences: 'a' }, 'invalid_type', 'stop_sequences: Expected array, received string.'],
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
    [
      { messages: [user([text('x'), { type: 'image' }])] },
      'unsupported_content',
      'messages.0.content.1: This deployment does not accept images.',
    ],
    [{ messages: [user([{ type: 'document' }])] }, 'unsupported_content', 'messages.0.content.0: Documents are not supported yet.'],
    [{ messages: [user([{ type: 'tool_result' }])] }, 'unsupported_content', 'messages.0.content.0: Tools are not supported yet.'],
    [
      { messages: [user([{ type: 'thinking' }])] },
      'unsupported_content',
      'messages.0.content.0.type: Only text blocks are supported here.',
    ],
    [
      { messages: [user([{ type: 'constructor' }])] },
      'unsupported_content',
      'messages.0.content.0.type: Only text blocks are supported here.',
    ],
    [{ messages: [instruction('s')] }, 'invalid_value', 'messages: At least one user message is required.'],
    [
      { messages: [user('x'), assistant('The answer is (')] },
      'unsupported_content',
      'messages.1: Answers cannot be continued yet; end with a user message.',
    ],
    [{ system: 7 }, 'invalid_type', 'system: Expected a string or an array of blocks.'],
    [{ system: [{ type: 'image' }] }, 'unsupported_content', 'system.0.type: Only text blocks are supported here.'],
    [{ tools: [{ type: 'web_search_20250305', name: 'w' }] }, 'unsupported_value', 'tools.0.type: Only custom tools can be called.'],
    [{ tools: [{}] }, 'missing_required_parameter', 'tools.0.name: Field required'],
    [
      { tools: [{ name: 'x', input_schema: { type: 'object' } }] },
      'unsupported_parameter',
      'tools: Tools are not supported yet; send the request without them.',
    ],
    [{ tool_choice: { type: 'any' } }, 'invalid_value', 'tool_choice: Without tools, only auto and none make sense.'],
    [
      { output_config: { format: { type: 'json_schema' } } },
      'unsupported_parameter',
      'output_config.format: Structured output is not supported yet.',
    ],
    [{ output_format: { type: 'json_schema' } }, 'unsupported_parameter', 'output_format: Not supported yet; send the request without it.'],
    [{ container: 'c' }, 'unsupported_parameter', 'container: Not supported yet; send the request without it.'],
    [
      { context_management: { edits: [{ type: 'compact_20260112' }] } },
      'unsupported_value',
      'context_management.edits.0.type: Conversations are not compacted here.',
    ],
    [{ thinking: { type: 'enabled', budget_tokens: 100 } }, 'invalid_value', 'thinking.budget_tokens: Expected number to be >=1024.'],
    [{ thinking: { type: 'enabled', budget_tokens: 2000 } }, 'invalid_value', 'thinking.budget_tokens: Expected less than max_tokens.'],
  ])('%j is refused with %s: %s', (fields, code, message) => {
    const error = faultOf(fields);
    expect([error.code, error.message]).toEqual([code, message]);
    expect(message.startsWith(`${error.param}: `)).toBe(true);
  });

  it('that sends only a part of its conversation makes the official SDK send the whole', () => {
    expect(faultOf({ thread: { type: 'create' } })).toMatchObject({ param: 'thread', facts: { error_code: 'thread_unsupported_request' } });
  });
});
