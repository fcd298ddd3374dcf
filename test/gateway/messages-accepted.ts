import type { CanonicalRequest } from '@slipway/contracts';
import { type Body, PNG, TOOL, SCHEMA, text, user, assistant, use, result, says, called } from './messages-parts.js';

/** What Claude Code sends around a turn, in small. */
const CLAUDE_CODE: Body = {
  max_tokens: 32_000,
  system: [
    text('x-anthropic-billing-header: cc_version=2.1.329; cc_entrypoint=sdk-cli'),
    { ...text('You are a coder.'), cache_control: { type: 'ephemeral' } },
    { ...text('Be brief.'), cache_control: { type: 'ephemeral' } },
  ],
  messages: [
    user([text('a'), text('hi')]),
    { role: 'system', content: [{ ...text('Today is Monday.'), cache_control: { type: 'ephemeral' } }] },
  ],
  tools: [
    { ...TOOL, input_schema: { $schema: 'https://json-schema.org/draft/2020-12/schema', ...TOOL.input_schema } },
    { name: 'DeferredToolPlaceholder', description: 'x', input_schema: { type: 'object' }, defer_loading: true },
  ],
  metadata: { user_id: JSON.stringify({ device_id: 'd'.repeat(64), account_uuid: '', session_id: 's'.repeat(36) }) },
  thinking: { type: 'adaptive', display: 'omitted' },
  context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
  output_config: { effort: 'high' },
  stream: true,
};

/** Requests, and the messages that the engine gets, as `role: text`. */
export const CONVERSATIONS: readonly (readonly [sends: string, body: Body, lines: readonly string[]])[] = [
  ['equal roles in a row', says(user('a'), user('b'), assistant('c'), user('d')), ['user: a\n\nb', 'assistant: c', 'user: d']],
  ['a system prompt', { system: 's', ...says(user('a')) }, ['system: s', 'user: a']],
  [
    'a system prompt in blocks',
    { system: [{ ...text('s'), cache_control: { type: 'ephemeral' } }, text('t')], ...says(user('a')) },
    ['system: s\n\nt', 'user: a'],
  ],
  [
    'a system message later on',
    { system: 's', ...says(user('a'), { role: 'system', content: [text('t')] }) },
    ['system: s', 'user: a\n\nt'],
  ],
  [
    'a system message between calls and results',
    says(
      user('q'),
      assistant([use('a'), use('b')]),
      { role: 'system', content: 't' },
      user([result('b', 'B'), result('a', 'A'), text('so')]),
    ),
    ['user: q', 'assistant: ', 'tool: B', 'tool: A', 'user: so\n\nt'],
  ],
  [
    'a result that is an error',
    called(result('a', 'gone', { is_error: true }), result('b', 'B')),
    ['user: q', 'assistant: ', 'tool: Error: gone', 'tool: B'],
  ],
  ['a result without content', called(result('a'), result('b', [])), ['user: q', 'assistant: ', 'tool: ', 'tool: ']],
  [
    'images in two results',
    called(result('a', [text('A'), PNG]), result('b', [PNG])),
    ['user: q', 'assistant: ', 'tool: A', 'tool: ', 'user: <image><image>'],
  ],
  [
    'thoughts without a signature, and redacted ones',
    says(
      user('q'),
      assistant([
        { type: 'thinking', thinking: 'hm', signature: '' },
        { type: 'thinking', thinking: 'ho' },
        { type: 'redacted_thinking', data: 'x' },
        text('b'),
      ]),
      user('c'),
    ),
    ['user: q', 'assistant: (hm\n\nho) b', 'user: c'],
  ],
  ['an answer to continue', says(user('q'), assistant('The answer is ( ')), ['user: q', 'assistant: The answer is (']],
  ['what Claude Code sends', CLAUDE_CODE, ['system: You are a coder.\n\nBe brief.', 'user: a\n\nhi\n\nToday is Monday.']],
];

/** Fields, and what the engine gets beside the messages. */
export const HONOURED: readonly (readonly [sends: string, body: Body, canonical: Partial<CanonicalRequest>])[] = [
  ['more tokens than fit', { max_tokens: 1e9 }, { max_tokens: 4096 }],
  ['five stop sequences', { stop_sequences: ['a', 'b', 'c', 'd', 'e'] }, { stop: ['a', 'b', 'c', 'd', 'e'] }],
  ['sampling', { temperature: 1.5, top_p: 0.5, top_k: 7 }, { sampling: { temperature: 1.5, top_p: 0.5, top_k: 7 } }],
  ['null for what has a default', { temperature: null, top_p: null, stop_sequences: null, tools: null }, { sampling: {}, stop: [] }],
  ['any tool', { tools: [TOOL], tool_choice: { type: 'any' } }, { tool_choice: 'required' }],
  ['one tool', { tools: [TOOL], tool_choice: { type: 'tool', name: 'look' } }, { tool_choice: { name: 'look' } }],
  ['no tool', { tools: [TOOL], tool_choice: { type: 'none' } }, { tool_choice: 'none' }],
  ['one call at a time', { tools: [TOOL], tool_choice: { type: 'auto', disable_parallel_tool_use: true } }, { parallel_tool_calls: false }],
  [
    'a tool with all that clients add',
    {
      tools: [
        { ...TOOL, type: 'custom', eager_input_streaming: true, cache_control: null, input_schema: { $schema: 'x', ...TOOL.input_schema } },
      ],
    },
    { tools: [{ name: 'look', description: 'Looks.', parameters: TOOL.input_schema }] },
  ],
  [
    'a form',
    { output_config: { format: SCHEMA } },
    { output: { kind: 'json_schema', name: 'output', schema: { type: 'object' }, strict: true } },
  ],
  [
    'the older spelling of a form',
    { output_format: SCHEMA },
    { output: { kind: 'json_schema', name: 'output', schema: { type: 'object' }, strict: true } },
  ],
  ['an effort', { output_config: { effort: 'max' } }, { reasoning: { effort: 'max' } }],
  ['thinking', { thinking: { type: 'enabled', budget_tokens: 1024 }, max_tokens: 2048 }, { reasoning: { enabled: true, budget: 1024 } }],
  ['an answer to continue', says(user('q'), assistant('x')), { continue_final: true }],
];

/** Taken by every engine, and without effect on what it is asked. */
export const IGNORED: readonly (readonly [sends: string, body: Body])[] = [
  ['a wish to cache', { cache_control: { type: 'ephemeral', ttl: '1h' } }],
  ['metadata of 300 characters', { metadata: { user_id: 'x'.repeat(300) } }],
  ['an edit of what is not kept', { context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] } }],
  ['tiers and places', { service_tier: 'auto', speed: 'fast', inference_geo: 'eu', diagnostics: { x: 1 }, billing_policy: {} }],
  ['nothing of what is not offered', { container: null, mcp_servers: [], thread: null, tools: [], fallbacks: [] }],
];
