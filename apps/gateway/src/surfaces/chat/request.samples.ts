import type { ResolvedDeployment } from '../../deployments/deployment-resolver.service.js';
import type { RequestPolicy } from '../surface.js';
import { type ChatRequest, readChatRequest } from './request.js';

/** A deployment that can do everything. */
const deployment = {
  facts: { id: 1, context: 4096, caps: [] as string[] },
  slug: 'deployment-1',
  alias: 'demo',
  isNamed: (model: string) => ['deployment-1', 'demo', 'acme/demo'].includes(model),
} as ResolvedDeployment;

export const user = { role: 'user', content: 'Hello' };

/** Reads a request with these fields. @throws ServiceError */
export const read = (fields: object = {}, policy: RequestPolicy = { imageHosts: [] }): ChatRequest =>
  readChatRequest({ model: 'deployment-1', messages: [user], ...fields }, deployment, policy);

const tool = (name: string) => ({
  type: 'function',
  function: { name, description: 'd', parameters: { type: 'object', properties: {} }, strict: true },
});
/** A request with every field that has a structure. */
export const FULL = {
  model: 'm',
  stream: true,
  stream_options: { include_usage: true, continuous_usage_stats: true },
  ...{ temperature: 1, top_p: 0.5, n: 2, stop: ['a'], seed: 5, min_tokens: 1, max_tokens: 9, ignore_eos: true, stop_token_ids: [1] },
  ...{ logprobs: true, top_logprobs: 3, reasoning_effort: 'low', modalities: ['text'], metadata: { a: 'b' }, logit_bias: { 5: 1 } },
  tools: [tool('f'), tool('g')],
  tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'f' } }] } },
  parallel_tool_calls: false,
  response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' }, strict: true } },
  structured_outputs: {},
  chat_template_kwargs: { enable_thinking: true, a: 'b' },
  continue_final_message: true,
  add_generation_prompt: false,
  messages: [
    { role: 'system', content: [{ type: 'text', text: 'a' }] },
    {
      role: 'user',
      name: 'n',
      content: [
        { type: 'text', text: 'x' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } },
      ],
    },
    {
      role: 'assistant',
      content: null,
      reasoning_content: 'r',
      tool_calls: [{ id: 'i', type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'i', content: 'x' },
    { role: 'assistant', content: 'x' },
  ],
};
