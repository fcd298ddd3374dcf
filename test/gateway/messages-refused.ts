import { type Body, PNG, TOOL, SCHEMA, text, user, assistant, use, result, says, called } from '../../conformance/src/messages/parts.js';
import { REFUSED as CASES } from '../../conformance/src/messages/refused.js';

type Refused = readonly [sends: string, body: Body, message: string, code: string];

/** What every deployment refuses beyond the numbered cases. */
const REFUSED_BESIDE: readonly Refused[] = [
  ...[-1, 1.5, '10', true, 2 ** 53 + 2].map(
    (max: unknown) =>
      [
        `max_tokens ${String(max)}`,
        { max_tokens: max },
        'max_tokens: ',
        typeof max === 'number' && Math.abs(max) !== 1.5 ? 'invalid_value' : 'invalid_type',
      ] as const,
  ),
  ['no messages', { messages: undefined }, 'messages: Field required', 'missing_required_parameter'],
  ['an object for messages', { messages: {} }, 'messages: ', 'invalid_type'],
  ['100,001 messages', { messages: Array.from({ length: 100_001 }, () => 0) }, 'messages: ', 'array_above_max_length'],
  ['no role', says({ content: 'x' }), 'messages.0.role: Field required', 'missing_required_parameter'],
  ...[null, undefined].map(
    (content) =>
      [`content ${String(content)}`, says(user(content)), 'messages.0.content: Field required', 'missing_required_parameter'] as const,
  ),
  ...[7, {}, true].map(
    (content) => [`content ${JSON.stringify(content)}`, says(user(content)), 'messages.0.content: ', 'invalid_type'] as const,
  ),
  ['a part of the other contract', says(user([{ type: 'image_url' }])), 'messages.0.content.0.type: ', 'unsupported_content'],
  ['temperature as text', { temperature: '0.7' }, 'temperature: ', 'invalid_type'],
  ...[-0.1, 2.01].map((temperature) => [`temperature ${temperature}`, { temperature }, 'temperature: ', 'invalid_value'] as const),
  ...['true', 1].map((stream) => [`stream ${JSON.stringify(stream)}`, { stream }, 'stream: ', 'invalid_type'] as const),
  [
    '1,000 stop sequences',
    { stop_sequences: Array.from({ length: 1_000 }, (_, i) => `s${i}`) },
    'stop_sequences: ',
    'array_above_max_length',
  ],
  ['an empty stop sequence', { stop_sequences: [''] }, 'stop_sequences.0: ', 'invalid_value'],
  ['a stop sequence of 10 kB', { stop_sequences: ['x'.repeat(10_000)] }, 'stop_sequences.0: ', 'invalid_value'],
  ['1,001 tools', { tools: Array.from({ length: 1_001 }, (_, i) => ({ ...TOOL, name: `t${i}` })) }, 'tools: ', 'array_above_max_length'],
  [
    'a tool schema of a megabyte',
    { tools: [{ ...TOOL, input_schema: { type: 'object', x: 'y'.repeat(1_000_000) } }] },
    'tools.0.input_schema: ',
    'invalid_value',
  ],
  ['a tool name of 300 characters', { tools: [{ ...TOOL, name: 'x'.repeat(300) }] }, 'tools.0.name: ', 'invalid_value'],
  ['a tool name with a NUL', { tools: [{ ...TOOL, name: 'a\u0000b' }] }, 'tools.0.name: ', 'invalid_value'],
  ['two tools of one name', { tools: [TOOL, TOOL] }, 'tools.1.name: ', 'invalid_value'],
  ['a tool that is not offered', { tools: [TOOL], tool_choice: { type: 'tool', name: 'x' } }, 'tool_choice.name: ', 'invalid_value'],
  ['two calls of one id', says(user('q'), assistant([use('a'), use('a')])), 'messages.1.content.1.id: ', 'invalid_value'],
  ['an id with a NUL', says(user('q'), assistant([use('a\u0000')])), 'messages.1.content.0.id: ', 'invalid_value'],
  ['metadata of a megabyte', { metadata: { user_id: 'x'.repeat(1_000_000) } }, 'metadata.user_id: ', 'invalid_value'],
  ['other metadata of a megabyte', { metadata: { note: 'x'.repeat(1_000_000) } }, 'metadata: ', 'invalid_value'],
  ['servers of tools', { mcp_servers: [{ type: 'url', url: 'x' }] }, 'mcp_servers: ', 'unsupported_parameter'],
  ['a container', { container: 'c' }, 'container: ', 'unsupported_parameter'],
  [
    'a compaction',
    { context_management: { edits: [{ type: 'compact_20260112' }] } },
    'context_management.edits.0.type: ',
    'unsupported_value',
  ],
  [
    'an answer to continue, with thinking',
    { ...says(user('q'), assistant('x')), thinking: { type: 'adaptive' } },
    'messages.1: ',
    'invalid_value',
  ],
  [
    'an answer to continue, with a call required',
    { ...says(user('q'), assistant('x')), tools: [TOOL], tool_choice: { type: 'any' } },
    'messages.1: ',
    'invalid_value',
  ],
  [
    'a PDF',
    says(user([{ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'x' } }])),
    'messages.0.content.0.source.type: ',
    'unsupported_content',
  ],
];

/** What every deployment refuses, by the path of the field. */
export const REFUSED: readonly Refused[] = [...CASES.map(([, ...row]): Refused => row), ...REFUSED_BESIDE];

/** Of an engine that can do nothing beyond plain text. */
export const LACKING: readonly (readonly [sends: string, body: Body, message: string])[] = [
  ['an image', says(user([text('x'), PNG])), 'messages.0.content.1: This model does not accept images.'],
  ['an image in a result', called(result('a', [PNG]), result('b')), 'messages.2.content.0: This model does not accept images.'],
  ['tools', { tools: [TOOL] }, 'tools: '],
  ['results of calls', called(result('a'), result('b')), 'tools: '],
  ['a form', { output_config: { format: SCHEMA } }, 'output_config.format: '],
  ['an answer to continue', says(user('q'), assistant('x')), 'messages.1: '],
  ['top_k', { top_k: 5 }, 'top_k: '],
];
