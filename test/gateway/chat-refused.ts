import { type Body, call, history, jsonSchema, PNG, schema, tool, withImage } from './chat-parts.js';

type Refused = readonly [sends: string, body: Body, param: string, code: string];

/** What every deployment refuses, by the name of the field. */
export const REFUSED: readonly Refused[] = [
  ['no messages', { messages: undefined }, 'messages', 'missing_required_parameter'],
  ['an empty list of messages', { messages: [] }, 'messages', 'empty_array'],
  ['text for messages', { messages: 'hi' }, 'messages', 'invalid_type'],
  ['an unknown role', { messages: [{ role: 'robot', content: 'x' }] }, 'messages[0].role', 'invalid_value'],
  ['a user who says null', { messages: [{ role: 'user', content: null }] }, 'messages[0].content', 'invalid_type'],
  ['a user without parts', { messages: [{ role: 'user', content: [] }] }, 'messages[0].content', 'empty_array'],
  ['an assistant who says null', history({ role: 'assistant', content: null }), 'messages[1].content', 'invalid_type'],
  ['a tool without the id of its call', history({ role: 'tool', content: 'x' }), 'messages[1].tool_call_id', 'missing_required_parameter'],
  [
    'a call with broken arguments',
    history({ role: 'assistant', tool_calls: [call({ function: { name: 'f', arguments: '{"a":' } })] }),
    'messages[1].tool_calls[0].function.arguments',
    'invalid_value',
  ],
  ...[2.1, '0.5', -0.1].map((temperature): Refused => [`temperature ${temperature}`, { temperature }, 'temperature', codeOf(temperature)]),
  ['top_p 1.5', { top_p: 1.5 }, 'top_p', 'invalid_value'],
  ['max_tokens 0', { max_tokens: 0 }, 'max_tokens', 'integer_below_min_value'],
  ['max_tokens -1', { max_tokens: -1 }, 'max_tokens', 'integer_below_min_value'],
  ['max_tokens 1.5', { max_tokens: 1.5 }, 'max_tokens', 'invalid_type'],
  ['max_tokens as text', { max_tokens: '5' }, 'max_tokens', 'invalid_type'],
  ['max_tokens beyond every integer', { max_tokens: 99999999999999999999 }, 'max_tokens', 'invalid_value'],
  ['five stops', { stop: ['a', 'b', 'c', 'd', 'e'] }, 'stop', 'array_above_max_length'],
  ['an empty stop', { stop: [''] }, 'stop', 'invalid_value'],
  ['a number to stop at', { stop: [1] }, 'stop', 'invalid_type'],
  ['n 0', { n: 0 }, 'n', 'integer_below_min_value'],
  ['more choices than are made', { n: 9 }, 'n', 'invalid_value'],
  ['stream_options without stream', { stream_options: { include_usage: true } }, 'stream_options', 'invalid_value'],
  ['stream as text', { stream: 'true' }, 'stream', 'invalid_type'],
  ['a forced call without tools', { tool_choice: 'required' }, 'tool_choice', 'invalid_value'],
  ['a choice of an absent tool', { tools: [tool()], tool_choice: tool('g') }, 'tool_choice', 'invalid_value'],
  ['a custom tool', { tools: [{ type: 'custom', custom: { name: 'x' } }] }, 'tools[0].type', 'invalid_value'],
  ['a tool without a name', { tools: [{ type: 'function', function: {} }] }, 'tools[0].function.name', 'missing_required_parameter'],
  ['129 tools', { tools: Array.from({ length: 129 }, (_, i) => tool(`f${i}`)) }, 'tools', 'array_above_max_length'],
  ['a schema without a name', jsonSchema({ schema }), 'response_format.json_schema.name', 'missing_required_parameter'],
  ['an unknown form', { response_format: { type: 'xml' } }, 'response_format.type', 'invalid_value'],
  ['top_logprobs alone', { top_logprobs: 3 }, 'top_logprobs', 'invalid_value'],
  ['21 top_logprobs', { logprobs: true, top_logprobs: 21 }, 'top_logprobs', 'invalid_value'],
  ['functions', { functions: [{ name: 'f' }] }, 'functions', 'unsupported_parameter'],
  ['audio to be made', { modalities: ['text', 'audio'] }, 'modalities', 'unsupported_value'],
  ['ignore_eos without a limit', { ignore_eos: true }, 'ignore_eos', 'invalid_value'],
  ['a template of its own', { chat_template: '{{ x }}' }, 'chat_template', 'unsupported_parameter'],
  ...['http://169.254.169.254/', 'https://images.example/a.png', 'file:///etc/passwd', 'data:text/html;base64,AAAA'].map((url): Refused => [
    `an image at ${url}`,
    withImage(url),
    'messages[0].content[1].image_url',
    'unsupported_content',
  ]),
];

/** What a deployment that only makes text refuses, by the name of the field. */
export const LACKING: readonly Refused[] = [
  ['an image', withImage(PNG), 'messages[0].content[1].image_url', 'unsupported_content'],
  ['tools', { tools: [tool()] }, 'tools', 'unsupported_parameter'],
  ['two choices', { n: 2 }, 'n', 'unsupported_value'],
  ['a schema', jsonSchema({ name: 'x', schema }), 'response_format', 'unsupported_parameter'],
  ['a pattern', { structured_outputs: { regex: 'a+' } }, 'structured_outputs', 'unsupported_parameter'],
  ['probabilities', { logprobs: true }, 'logprobs', 'unsupported_parameter'],
  ['template arguments', { chat_template_kwargs: { enable_thinking: false } }, 'chat_template_kwargs', 'unsupported_parameter'],
  ['top_k', { top_k: 5 }, 'top_k', 'unsupported_parameter'],
  ['a seed', { seed: 1 }, 'seed', 'unsupported_parameter'],
];

function codeOf(value: unknown): string {
  return typeof value === 'string' ? 'invalid_type' : 'invalid_value';
}
