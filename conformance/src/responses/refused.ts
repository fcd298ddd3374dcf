import type { Part } from '../case.js';
import { askResponses, expectRefused, format, type Json, schema, tool, userSays } from './parts.js';

/** A body, the field of its refusal, and words that must stand in it. */
type Refused = readonly [number: number, sends: string, body: Json, param: string, words?: RegExp];

const ORPHAN = { type: 'function_call_output', call_id: 'call_none', output: 'x' };

/** What every deployment refuses, by the name of the field. */
const REFUSED: readonly Refused[] = [
  [2, 'no input', { input: undefined }, 'input'],
  [2, 'an empty input', { input: [] }, 'input'],
  [2, 'a number for an input', { input: 5 }, 'input'],
  [2, 'a number for an item', { input: [1] }, 'input[0]'],
  [3, 'messages in place of input', { input: undefined, messages: [userSays('x')] }, 'messages', /'input'/],
  [7, 'an output without its call', { input: [userSays('x'), ORPHAN] }, 'input[1].call_id', /No tool call found/],
  [12, 'a conversation', { conversation: 'conv_1' }, 'conversation'],
  [12, 'background true', { background: true }, 'background', /stream/],
  [12, 'a template of prompts', { prompt: { id: 'pmpt_1' } }, 'prompt'],
  [15, 'max_output_tokens 0', { max_output_tokens: 0 }, 'max_output_tokens'],
  [15, 'max_output_tokens 1.5', { max_output_tokens: 1.5 }, 'max_output_tokens'],
  [17, 'a schema without a name', format({ schema }), 'text.format.name'],
  ...['mcp', 'file_search', 'computer_use_preview', 'code_interpreter'].map((type): Refused => [
    26,
    `a tool of type ${type}`,
    { tools: [tool('f'), { type }] },
    'tools[1].type',
    /./,
  ]),
  [27, 'a forced call without tools', { tool_choice: 'required' }, 'tool_choice'],
  [27, 'a choice of an unknown tool', { tools: [tool('f')], tool_choice: { type: 'function', name: 'g' } }, 'tool_choice'],
  [27, 'a choice of a hosted tool', { tools: [tool('f')], tool_choice: { type: 'file_search' } }, 'tool_choice'],
  [36, '21 top_logprobs', { include: ['message.output_text.logprobs'], top_logprobs: 21 }, 'top_logprobs'],
];

/** What must be refused, plain and streamed. */
export const refusedResponses: readonly Part[] = REFUSED.map(([number, sends, body, param, words]) => ({
  number,
  promise: `${sends}: 400 [${param}]`,
  breaks: 'an agent works on with an answer to another question, or is not told which field was wrong',
  run: async (stage) => {
    for (const stream of [false, true]) expectRefused(stage, await askResponses(stage, { stream, ...body }), { param, words });
  },
}));
