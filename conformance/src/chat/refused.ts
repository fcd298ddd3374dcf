import type { Part } from '../case.js';
import { askChat, type Body, expectRefused, history, jsonSchema, schema, tool, withImage } from './parts.js';

/** A body, and the field and code of its refusal. */
type Refused = readonly [number: number, sends: string, body: Body, param: string, code: string];

/** What every deployment refuses, by the name of the field. */
export const REFUSED: readonly Refused[] = [
  [2, 'no messages', { messages: undefined }, 'messages', 'missing_required_parameter'],
  [3, 'an empty list of messages', { messages: [] }, 'messages', 'empty_array'],
  [4, 'text for messages', { messages: 'hi' }, 'messages', 'invalid_type'],
  [5, 'an unknown role', { messages: [{ role: 'robot', content: 'x' }] }, 'messages[0].role', 'invalid_value'],
  [6, 'a user who says null', { messages: [{ role: 'user', content: null }] }, 'messages[0].content', 'invalid_type'],
  [7, 'a user without parts', { messages: [{ role: 'user', content: [] }] }, 'messages[0].content', 'empty_array'],
  ...['http://169.254.169.254/', 'https://images.example/a.png', 'file:///etc/passwd', 'data:text/html;base64,AAAA'].map((url): Refused => [
    9,
    `an image at ${url}`,
    withImage(url),
    'messages[0].content[1].image_url',
    'unsupported_content',
  ]),
  [11, 'an assistant who says null', history({ role: 'assistant', content: null }), 'messages[1].content', 'invalid_type'],
  [
    12,
    'a tool without the id of its call',
    history({ role: 'tool', content: 'x' }),
    'messages[1].tool_call_id',
    'missing_required_parameter',
  ],
  [16, 'temperature 2.1', { temperature: 2.1 }, 'temperature', 'invalid_value'],
  [16, 'temperature 0.5 as text', { temperature: '0.5' }, 'temperature', 'invalid_type'],
  [16, 'temperature -0.1', { temperature: -0.1 }, 'temperature', 'invalid_value'],
  [17, 'top_p 1.5', { top_p: 1.5 }, 'top_p', 'invalid_value'],
  [18, 'max_tokens 0', { max_tokens: 0 }, 'max_tokens', 'integer_below_min_value'],
  [18, 'max_tokens -1', { max_tokens: -1 }, 'max_tokens', 'integer_below_min_value'],
  [18, 'max_tokens 1.5', { max_tokens: 1.5 }, 'max_tokens', 'invalid_type'],
  [18, 'max_tokens as text', { max_tokens: '5' }, 'max_tokens', 'invalid_type'],
  [24, 'five stops', { stop: ['a', 'b', 'c', 'd', 'e'] }, 'stop', 'array_above_max_length'],
  [24, 'an empty stop', { stop: [''] }, 'stop', 'invalid_value'],
  [24, 'a number to stop at', { stop: [1] }, 'stop', 'invalid_type'],
  [26, 'n 0', { n: 0 }, 'n', 'integer_below_min_value'],
  [28, 'stream_options without stream', { stream_options: { include_usage: true } }, 'stream_options', 'invalid_value'],
  [30, 'stream as text', { stream: 'true' }, 'stream', 'invalid_type'],
  [31, 'a forced call without tools', { tool_choice: 'required' }, 'tool_choice', 'invalid_value'],
  [32, 'a choice of an absent tool', { tools: [tool()], tool_choice: tool('g') }, 'tool_choice', 'invalid_value'],
  [34, 'a custom tool', { tools: [{ type: 'custom', custom: { name: 'x' } }] }, 'tools[0].type', 'invalid_value'],
  [35, 'a tool without a name', { tools: [{ type: 'function', function: {} }] }, 'tools[0].function.name', 'missing_required_parameter'],
  [38, 'a schema without a name', jsonSchema({ schema }), 'response_format.json_schema.name', 'missing_required_parameter'],
  [38, 'an unknown form', { response_format: { type: 'xml' } }, 'response_format.type', 'invalid_value'],
  [40, 'top_logprobs alone', { top_logprobs: 3 }, 'top_logprobs', 'invalid_value'],
  [40, '21 top_logprobs', { logprobs: true, top_logprobs: 21 }, 'top_logprobs', 'invalid_value'],
  [42, 'functions', { functions: [{ name: 'f' }] }, 'functions', 'unsupported_parameter'],
  [43, 'audio to be made', { modalities: ['text', 'audio'] }, 'modalities', 'unsupported_value'],
];

/** Whether the contract names the code; elsewhere it leaves it open. */
const isNamed = (number: number, code: string): boolean => number <= 5 || (number === 18 && code === 'integer_below_min_value');

const BREAKS = 'the mistake is answered as if it were none, or the AI SDK shows "Bad Request" instead of the field that is wrong';

/** What must be refused, plain and streamed. */
export const refusedChats: readonly Part[] = REFUSED.map(([number, sends, body, param, code]) => ({
  number,
  promise: `${sends}: 400 [${param}]`,
  breaks: BREAKS,
  run: async (stage) => {
    const forms = 'stream' in body || 'stream_options' in body ? [{}] : [{}, { stream: true }];
    for (const form of forms) {
      const answer = await askChat(stage, { ...form, ...body });
      expectRefused(stage, answer, { param, code: isNamed(number, code) ? code : undefined });
    }
  },
}));
