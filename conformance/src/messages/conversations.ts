import type { Part } from '../case.js';
import { expectLike } from '../check.js';
import { lineOf } from '../engine-lines.js';
import { askMessages, assistant, type Body, called, PNG, result, says, text, TOOL, use, user } from './parts.js';

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

const THOUGHTS = [
  { type: 'thinking', thinking: 'hm', signature: '' },
  { type: 'thinking', thinking: 'ho' },
  { type: 'redacted_thinking', data: 'x' },
];
const LATE_SYSTEM = says(
  user('q'),
  assistant([use('a'), use('b')]),
  { role: 'system', content: 't' },
  user([result('b', 'B'), result('a', 'A'), text('so')]),
);

/** Requests, and the messages that the engine gets, as `role: text`. */
export const CONVERSATIONS: readonly (readonly [number: number, sends: string, body: Body, lines: readonly string[]])[] = [
  [14, 'equal roles in a row', says(user('a'), user('b'), assistant('c'), user('d')), ['user: a\n\nb', 'assistant: c', 'user: d']],
  [15, 'a system prompt', { system: 's', ...says(user('a')) }, ['system: s', 'user: a']],
  [
    15,
    'a system prompt in blocks',
    { system: [{ ...text('s'), cache_control: { type: 'ephemeral' } }, text('t')], ...says(user('a')) },
    ['system: s\n\nt', 'user: a'],
  ],
  [
    16,
    'a system message later on',
    { system: 's', ...says(user('a'), { role: 'system', content: [text('t')] }) },
    ['system: s', 'user: a\n\nt'],
  ],
  [17, 'a system message between calls and results', LATE_SYSTEM, ['user: q', 'assistant: ', 'tool: B', 'tool: A', 'user: so\n\nt']],
  [
    18,
    'a result that is an error',
    called(result('a', 'gone', { is_error: true }), result('b', 'B')),
    ['user: q', 'assistant: ', 'tool: Error: gone', 'tool: B'],
  ],
  [19, 'a result without content', called(result('a'), result('b', [])), ['user: q', 'assistant: ', 'tool: ', 'tool: ']],
  [
    21,
    'images in two results',
    called(result('a', [text('A'), PNG]), result('b', [PNG])),
    ['user: q', 'assistant: ', 'tool: A', 'tool: ', 'user: <image><image>'],
  ],
  [
    22,
    'thoughts without a signature, and redacted ones',
    says(user('q'), assistant([...THOUGHTS, text('b')]), user('c')),
    ['user: q', 'assistant: (hm\n\nho) b', 'user: c'],
  ],
  [48, 'an answer to continue', says(user('q'), assistant('The answer is ( ')), ['user: q', 'assistant: The answer is (']],
  [55, 'what Claude Code sends', CLAUDE_CODE, ['system: You are a coder.\n\nBe brief.', 'user: a\n\nhi\n\nToday is Monday.']],
];

/** Conversations, as the engine gets them. */
export const conversations: readonly Part[] = CONVERSATIONS.map(([number, sends, body, lines]) => ({
  number,
  promise: `${sends}: one conversation at the engine`,
  breaks: 'templates of open models raise, or tool results no longer follow their calls: Claude Code ends with a 500 or a confused model',
  needs: ['engine'],
  run: async (stage) => {
    (await askMessages(stage, body)).expectStatus(200);
    expectLike('messages of the engine', stage.engine.last.messages?.map(lineOf), lines);
  },
}));
