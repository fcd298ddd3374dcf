import { type Body, call, history, jsonSchema, PNG, schema, text, tool, user, withImage } from '../../conformance/src/chat/parts.js';

type Honoured = readonly [sends: string, body: Body, canonical: object];

/** Request fields, and the canonical fields that reach the worker. */
export const HONOURED: readonly Honoured[] = [
  ['an empty text', { messages: [{ role: 'user', content: '' }] }, { messages: [{ role: 'user', content: text('') }] }],
  [
    'text in parts',
    { messages: [{ role: 'user', content: [...text('one '), ...text('two')] }] },
    { messages: [{ role: 'user', content: text('one two') }] },
  ],
  [
    'a developer',
    { messages: [{ role: 'developer', content: 'Be brief.' }, user] },
    {
      messages: [
        { role: 'system', content: text('Be brief.') },
        { role: 'user', content: text('one two') },
      ],
    },
  ],
  [
    'a call and its result',
    history({ role: 'assistant', content: null, tool_calls: [call()] }, { role: 'tool', tool_call_id: 'call_1', content: 'three' }),
    {
      messages: [
        { role: 'user', content: text('one two') },
        { role: 'assistant', content: [], tool_calls: [{ id: 'call_1', name: 'f', arguments: '{"a":1}' }] },
        { role: 'tool', tool_call_id: 'call_1', content: text('three') },
      ],
    },
  ],
  [
    'an image',
    withImage(PNG),
    {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'x' },
            { type: 'image', url: PNG },
          ],
        },
      ],
    },
  ],
  ['fields of single servers', { foo: 1, n_predict: -1, id_slot: 3, cache_prompt: false, max_tokens: 5 }, { max_tokens: 5 }],
  [
    'null for everything',
    { temperature: null, top_p: null, n: null, stop: null, seed: null, tools: null, stream: null, stream_options: null },
    {},
  ],
  ['both limits', { max_tokens: 5, max_completion_tokens: 6 }, { max_tokens: 6 }],
  ['more tokens than any model has', { max_tokens: 1e15 }, { max_tokens: 2 ** 31 - 1 }],
  ['one stop', { stop: 'a' }, { stop: ['a'] }],
  ['two stops', { stop: ['a', 'b'] }, { stop: ['a', 'b'] }],
  ['no stop', { stop: [] }, { stop: [] }],
  ['a seed of 64 bits', { seed: 9223372036854775807 }, { sampling: { seed: 0 } }],
  ['a small seed', { seed: 7 }, { sampling: { seed: 7 } }],
  ['no nucleus', { top_p: 0 }, { sampling: { temperature: 0 } }],
  ['auto without tools', { tool_choice: 'auto' }, {}],
  ['none without tools', { tool_choice: 'none' }, {}],
  ['an empty list of tools', { tools: [] }, {}],
  [
    'one call at most',
    { tools: [tool()], parallel_tool_calls: false, tool_choice: 'required' },
    { tools: [{ name: 'f', parameters: { type: 'object', properties: {} } }], tool_choice: 'required', parallel_tool_calls: false },
  ],
  [
    'some tools of many',
    { tools: [tool('f'), tool('g')], tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [tool('g')] } } },
    { tools: [{ name: 'g', parameters: { type: 'object', properties: {} } }], tool_choice: 'auto' },
  ],
  [
    'a strict schema',
    jsonSchema({ name: 'x', schema, strict: true }),
    { output: { kind: 'json_schema', name: 'x', schema, strict: true } },
  ],
  ['some JSON', { response_format: { type: 'json_object' } }, { output: { kind: 'json_object' } }],
  ['words to choose from', { guided_choice: ['yes', 'no'] }, { output: { kind: 'choice', options: ['yes', 'no'] } }],
  ['an effort', { reasoning_effort: 'low' }, { reasoning: { effort: 'low' } }],
  ['probabilities', { logprobs: true, top_logprobs: 2 }, { logprobs: 2 }],
  [
    'a turn to go on with',
    { ...history({ role: 'assistant', content: 'Once' }), continue_final_message: true, add_generation_prompt: false },
    {
      messages: [
        { role: 'user', content: text('one two') },
        { role: 'assistant', content: text('Once') },
      ],
      continue_final: true,
    },
  ],
];
