type Body = Readonly<Record<string, unknown>>;

const PNG = 'iVBORw0KGgo=';
const text = { type: 'text', text: 'x' };
const user = { role: 'user', content: 'Hello' };
const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } };
const tools = [{ type: 'function', function: { name: 'f', description: 'x', parameters: { type: 'object' }, strict: true } }];
const messages = (...list: readonly unknown[]): Body => ({ messages: list });
const image = (url: unknown, detail?: unknown): Body =>
  messages({ role: 'user', content: [text, { type: 'image_url', image_url: { url, detail } }] });
const format = (value: unknown): Body => ({ response_format: value });

const CHAT: readonly Body[] = [
  messages(user, { role: 'assistant', content: 'x', refusal: null }, user),
  messages({ role: 'developer', content: [text, text] }, user),
  messages({ role: 'system', content: [] }, user),
  messages({ role: 'robot', content: 'x' }),
  messages({ role: 'user' }),
  messages({ role: 'user', content: null }),
  messages({ role: 'user', content: '' }),
  messages({ role: 'user', content: 'x', name: 'n'.repeat(257) }),
  messages({ role: 'user', content: [{ type: 'file', file: { file_id: 'x' } }] }),
  messages('x'),
  messages(user, { role: 'assistant', content: null, tool_calls: [call] }, { role: 'tool', tool_call_id: 'a', content: 'x' }),
  messages(user, { role: 'assistant', tool_calls: [{ ...call, function: { name: 'f', arguments: {} } }] }, user),
  messages(user, { role: 'assistant', tool_calls: [{ ...call, type: 'custom' }] }, user),
  messages(user, { role: 'assistant', tool_calls: [{ ...call, id: '' }] }, user),
  messages(user, { role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }, text] }, user),
  messages(user, { role: 'assistant', content: 'x', reasoning_content: 'hm' }, user),
  messages(user, { role: 'tool', content: 'x' }),
  messages(user, { role: 'tool', tool_call_id: '', content: 'x' }),
  messages(user, { role: 'tool', tool_call_id: 'a', content: [text] }),
  image(`data:image/png;base64,${PNG}`),
  image(`data:image/png;base64,${PNG}`, 'low'),
  image(`data:image/png;base64,${PNG}`, 'huge'),
  image(5),
  { continue_final_message: true, messages: [user, { role: 'assistant', content: 'The answer is (' }] },
  { stop: ['a', 'b', 'c', 'd'] },
  { stop: ['a', 'b', 'c', 'd', 'e'] },
  { stop: [''] },
  { stop: '' },
  { tools },
  { tools, tool_choice: 'required', parallel_tool_calls: false },
  { tools, tool_choice: { type: 'function', function: { name: 'f' } } },
  {
    tools,
    tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'f' } }] } },
  },
  { tools, tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [] } } },
  { tools, tool_choice: { type: 'custom', custom: { name: 'f' } } },
  { tools: [{ type: 'custom', custom: { name: 'f' } }] },
  { tools: [{ type: 'function', function: { name: 'a b' } }] },
  { tools: [{ type: 'function', function: {} }] },
  { tools: [{ type: 'function', function: { name: 'f', description: null, strict: null, parameters: null } }] },
  format({ type: 'text' }),
  format({ type: 'json_object' }),
  format({ type: 'json_object', schema: { type: 'object' } }),
  format({ type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' }, strict: true } }),
  format({ type: 'json_schema', json_schema: { name: 'a b', schema: {} } }),
  format({ type: 'json_schema', json_schema: { name: 'a' } }),
  format({ type: 'json_schema', json_schema: { schema: {} } }),
  format({ type: 'xml' }),
  { structured_outputs: { regex: '[a-z]+' } },
  { structured_outputs: { regex: '' } },
  { structured_outputs: { choice: ['a', 'b'] } },
  { structured_outputs: { choice: [] } },
  { structured_outputs: { json: '{"type":"object"}' } },
  { guided_choice: ['a', 5] },
  { chat_template_kwargs: { enable_thinking: false, a: 'b', c: 5, d: null } },
  { chat_template_kwargs: { a: [] } },
  { add_generation_prompt: false },
  { modalities: ['text', 'audio'] },
  { logit_bias: { 50: 1.5 } },
  { logit_bias: { a: 1 } },
  { logit_bias: { 50: 101 } },
  { stop_token_ids: [1, 2] },
  { stop_token_ids: [-1] },
  { metadata: { a: 'b' } },
  { metadata: { a: 5 } },
  { metadata: Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`k${i}`, 'v'])) },
  { stream: true, stream_options: { include_usage: true, continuous_usage_stats: null } },
  { stream: true, stream_options: { include_usage: 'yes' } },
  { anything: { else: true } },
];

const tool = { name: 'f', input_schema: { type: 'object' } };
const use = { type: 'tool_use', id: 'a', name: 'f', input: {} };
const result = (fields: Body): Body =>
  messages(user, { role: 'assistant', content: [use] }, { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', ...fields }] });
const block = (value: unknown): Body => messages({ role: 'user', content: [text, value] });
const source = (value: unknown): Body => block({ type: 'image', source: value });

const MESSAGES: readonly Body[] = [
  messages({ role: 'user', content: [text] }, { role: 'system', content: 'x' }),
  messages({ role: 'tool', content: 'x' }),
  messages({ role: 'user', content: '' }),
  messages({ role: 'user', content: [] }),
  messages({ role: 'user' }),
  messages(user, { role: 'assistant', content: [] }, user),
  messages(
    user,
    { role: 'assistant', content: [{ type: 'thinking', thinking: 'hm', signature: '' }, { type: 'redacted_thinking', data: 'x' }, text] },
    user,
  ),
  messages(user, { role: 'assistant', content: [{ type: 'server_tool_use', id: 'a', name: 'f', input: {} }] }, user),
  messages(user, { role: 'assistant', content: [{ type: 'tool_use', id: '', name: 'f', input: {} }] }, user),
  source({ type: 'base64', media_type: 'image/png', data: PNG }),
  source({ type: 'base64', media_type: 'image/tiff', data: PNG }),
  source({ type: 'base64', media_type: 'image/png', data: '' }),
  source({ type: 'file', file_id: 'x' }),
  block({ type: 'document', title: null, source: { type: 'text', data: 'x' } }),
  block({ type: 'document', source: { type: 'content', content: [text] } }),
  block({ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: PNG } }),
  block({ type: 'search_result', title: 'x', source: 'y', content: [text] }),
  block({ type: 'search_result', title: 'x', content: [text] }),
  block({ type: 'container_upload', file_id: 'x' }),
  result({}),
  result({ content: 'x', is_error: true }),
  result({ content: [text, { type: 'tool_reference', tool_name: 'f' }] }),
  result({ is_error: 'yes' }),
  { system: 'x' },
  { system: [{ ...text, cache_control: { type: 'ephemeral' } }] },
  { system: [{ type: 'image' }] },
  { stop_sequences: ['a', 'b', 'c', 'd', 'e'] },
  { stop_sequences: [5] },
  { thinking: { type: 'enabled', budget_tokens: 1024 } },
  { thinking: { type: 'enabled', budget_tokens: 1023 } },
  { thinking: { type: 'adaptive', display: 'omitted' } },
  { thinking: { type: 'disabled' } },
  { thinking: { type: 'sometimes' } },
  { tools: [tool], tool_choice: { type: 'any', disable_parallel_tool_use: true } },
  { tools: [tool], tool_choice: { type: 'tool', name: 'f' } },
  { tools: [tool], tool_choice: { type: 'tool' } },
  { tools: [tool], tool_choice: { type: 'none' } },
  { tools: [tool], tool_choice: 'auto' },
  { tools: [{ ...tool, type: 'custom', cache_control: { type: 'ephemeral' }, eager_input_streaming: true }] },
  { tools: [{ type: 'bash_20250124', name: 'bash' }] },
  { tools: [{ name: 'f' }] },
  { tools: [{ name: 'f', input_schema: { type: 'string' } }] },
  { output_config: { format: { type: 'json_schema', schema: { type: 'object' } }, effort: 'max' } },
  { output_config: { format: { type: 'json_object' } } },
  { output_config: { effort: 'enormous' } },
  { output_format: { type: 'json_schema', schema: {} } },
  { metadata: { user_id: 'u'.repeat(4_096) } },
  { metadata: { user_id: 'u'.repeat(4_097) } },
  { temperature: null, top_p: null, top_k: null, stop_sequences: null, system: null, tools: null, tool_choice: null, thinking: null },
  { anything: { else: true } },
];

/** Fields of requests, good and bad, by the schema that the document has for the request. */
export const BODIES: Readonly<Record<'ChatCompletionRequest' | 'MessageRequest', readonly (readonly [Body])[]>> = {
  ChatCompletionRequest: CHAT.map((fields) => [fields] as const),
  MessageRequest: MESSAGES.map((fields) => [fields] as const),
};
