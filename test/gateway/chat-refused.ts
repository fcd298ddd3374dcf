import { type Body, call, history, jsonSchema, PNG, schema, tool, withImage } from '../../conformance/src/chat/parts.js';
import { REFUSED as CASES } from '../../conformance/src/chat/refused.js';

type Refused = readonly [sends: string, body: Body, param: string, code: string];

/** What every deployment refuses beyond the numbered cases, by the name of the field. */
const REFUSED_BESIDE: readonly Refused[] = [
  [
    'a call with broken arguments',
    history({ role: 'assistant', tool_calls: [call({ function: { name: 'f', arguments: '{"a":' } })] }),
    'messages[1].tool_calls[0].function.arguments',
    'invalid_value',
  ],
  ['max_tokens beyond every integer', { max_tokens: 99999999999999999999 }, 'max_tokens', 'invalid_value'],
  ['more choices than are made', { n: 9 }, 'n', 'invalid_value'],
  ['129 tools', { tools: Array.from({ length: 129 }, (_, i) => tool(`f${i}`)) }, 'tools', 'array_above_max_length'],
  ['ignore_eos without a limit', { ignore_eos: true }, 'ignore_eos', 'invalid_value'],
  ['a template of its own', { chat_template: '{{ x }}' }, 'chat_template', 'unsupported_parameter'],
];

/** What every deployment refuses, by the name of the field. */
export const REFUSED: readonly Refused[] = [...CASES.map(([, ...row]): Refused => row), ...REFUSED_BESIDE];

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
