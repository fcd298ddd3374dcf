import type { Part } from '../case.js';
import { Mismatch, shown } from '../check.js';
import { askMessages, assistant, type Body, expectRefused, PNG, result, says, use, user } from './parts.js';

/** A body, the beginning of the message of its refusal, and the code. */
type Refused = readonly [number: number, sends: string, body: Body, message: string, code: string];

const fetched = (url: string): Body => says(user([{ ...PNG, source: { type: 'url', url } }]));

/** What every deployment refuses, by the path of the field. */
export const REFUSED: readonly Refused[] = [
  [9, 'no limit', { max_tokens: undefined }, 'max_tokens: Field required', 'missing_required_parameter'],
  [13, 'an empty list of messages', { messages: [] }, 'messages: ', 'empty_array'],
  [13, 'a role of the other contract', says({ role: 'tool', content: 'x' }), 'messages.0.role: ', 'invalid_value'],
  [20, 'a result of no call', says(user([result('x')])), 'messages.0.content.0.tool_use_id: ', 'invalid_value'],
  [20, 'a call without a result', says(user('q'), assistant([use('a')]), user('x')), 'messages.1.content.0: ', 'invalid_value'],
  [25, 'a thread', { thread: { type: 'create' } }, 'thread: ', 'thread_unsupported_request'],
  ...['web_search_20250305', 'bash_20250124', 'mcp_toolset', 'computer_20250124'].map((type): Refused => [
    26,
    `a tool of type ${type}`,
    { tools: [{ type, name: 'x' }] },
    'tools.0.type: ',
    'unsupported_value',
  ]),
  [29, 'any tool of none', { tool_choice: { type: 'any' } }, 'tool_choice: ', 'invalid_value'],
  [52, 'an image that would have to be fetched', fetched('http://169.254.169.254/x'), 'messages.0.content.0.source.url: ', 'invalid_value'],
  [52, 'an image on this machine', fetched('file:///etc/passwd'), 'messages.0.content.0.source.url: ', 'invalid_value'],
];

/** What must be refused, plain and streamed. */
export const refusedMessages: readonly Part[] = REFUSED.map(([number, sends, body, message, code]) => ({
  number,
  promise: `${sends}: 400 "${message.trim()}"`,
  breaks:
    number === 25
      ? "the SDK's toolRunner goes on without its history: the model answers what it was never asked"
      : 'Claude Code and the SDKs show a wrong answer in place of the mistake, or a message that names no field',
  run: async (stage) => {
    for (const stream of [false, true]) {
      const answer = await askMessages(stage, { stream, ...body });
      expectRefused(stage, answer, message);
      if (number === 25 && (answer.json['error'] as { details?: { error_code?: string } }).details?.error_code !== code) {
        throw new Mismatch(`details.error_code ${code}`, shown(answer.json['error']));
      }
    }
  },
}));
