import type { ResolvedDeployment } from '../../deployments/deployment-resolver.service.js';
import type { RequestPolicy } from '../surface.js';
import { readResponsesRequest, type ResponsesRequest } from './request.js';

/** A deployment that can do everything. */
const deployment = {
  facts: { id: 1, context: 4096, caps: [] as string[] },
  slug: 'deployment-1',
  alias: 'demo',
  isNamed: (model: string) => ['deployment-1', 'demo', 'acme/demo'].includes(model),
} as ResolvedDeployment;

/** A deployment whose engine has only these capabilities. */
const withCaps = (caps: readonly string[]): ResolvedDeployment => ({ ...deployment, facts: { ...deployment.facts, caps: [...caps] } });

/** Reads a request with these fields. @throws ServiceError */
export const read = (fields: object = {}, caps: readonly string[] = [], policy: RequestPolicy = { imageHosts: [] }): ResponsesRequest =>
  readResponsesRequest({ model: 'deployment-1', input: 'Hello', ...fields }, withCaps(caps), policy);

export const PNG = 'data:image/png;base64,AAAA';

/** A function of this name. */
export const tool = (name: string, rest: object = {}): object => ({
  type: 'function',
  name,
  description: 'd',
  parameters: { type: 'object', properties: {} },
  strict: true,
  ...rest,
});

/** A request with every field that has a structure. */
export const FULL = {
  model: 'm',
  instructions: 'i',
  stream: true,
  stream_options: { include_obfuscation: true },
  ...{ temperature: 1, top_p: 0.5, top_logprobs: 3, max_output_tokens: 9, stop: ['a'], seed: 5, min_tokens: 1, logit_bias: { 5: 1 } },
  ...{ store: false, metadata: { a: 'b' }, truncation: 'auto', user: 'u', client_metadata: {}, background: false, max_tool_calls: 3 },
  include: ['reasoning.encrypted_content'],
  reasoning: { effort: 'low', summary: 'auto' },
  tools: [
    tool('f'),
    { type: 'custom', name: 'g', description: 'd', format: { type: 'grammar', syntax: 'lark', definition: 'start: "a"' } },
    { type: 'namespace', name: 'ns', description: 'd', tools: [tool('h'), { type: 'custom', name: 'k', format: { type: 'text' } }] },
    { type: 'web_search', search_context_size: 'low' },
  ],
  tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'f' }] },
  parallel_tool_calls: false,
  text: { format: { type: 'json_schema', name: 'x', schema: { type: 'object' }, strict: true, description: 'd' }, verbosity: 'low' },
  structured_outputs: {},
  chat_template_kwargs: { enable_thinking: true, a: 'b' },
  input: [
    { role: 'developer', content: [{ type: 'input_text', text: 'a' }] },
    {
      type: 'message',
      role: 'user',
      id: null,
      content: [
        { type: 'input_text', text: 'x' },
        { type: 'input_image', image_url: PNG, detail: 'low' },
      ],
    },
    { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'r' }], content: null, encrypted_content: null },
    {
      type: 'message',
      role: 'assistant',
      content: [
        { type: 'output_text', text: 'x' },
        { type: 'refusal', refusal: 'no' },
      ],
    },
    { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}', status: null },
    { type: 'custom_tool_call', call_id: 'b', name: 'g', input: 'i' },
    { type: 'function_call_output', call_id: 'a', output: 'x' },
    { type: 'custom_tool_call_output', call_id: 'b', output: [{ type: 'input_text', text: 'y' }] },
    { type: 'item_reference', id: 'rs_2' },
  ],
};
