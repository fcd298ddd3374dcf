import { type DeploymentFacts, ServiceError } from '@slipway/contracts';
import type { ResolvedDeployment } from '../../deployments/deployment-resolver.service.js';
import type { RequestPolicy } from '../surface.js';
import { type MessagesRequest, readMessagesRequest } from './request.js';

type Sample = Readonly<Record<string, unknown>>;

export const deployment = (caps: string[] = []): ResolvedDeployment => ({
  facts: { context: 4096, caps } as unknown as DeploymentFacts,
  slug: 'deployment-1',
  alias: undefined,
  isNamed: (model) => ['deployment-1', 'demo', 'acme/demo'].includes(model),
});
export const POLICY: RequestPolicy = { imageHosts: ['images.example'] };
export const MINIMAL: Sample = { model: 'deployment-1', max_tokens: 100, messages: [{ role: 'user', content: 'hi' }] };
export const read = (fields: object = {}, caps?: string[]): MessagesRequest =>
  readMessagesRequest({ ...MINIMAL, ...fields }, deployment(caps), POLICY);

/** The error of a request. @throws Error when it is accepted. */
export function faultOf(fields: object, caps?: string[]): ServiceError {
  try {
    read(fields, caps);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error('The request was accepted.');
}

export const user = (content: unknown): Sample => ({ role: 'user', content });
export const assistant = (content: unknown): Sample => ({ role: 'assistant', content });
export const instruction = (content: unknown): Sample => ({ role: 'system', content });
export const text = (value: string): Sample => ({ type: 'text', text: value });
export const toolUse = (id: string): Sample => ({ type: 'tool_use', id, name: 'look', input: {} });
export const PNG = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw==' } } as const;
export const TOOL: Sample = { name: 'look', input_schema: { type: 'object', properties: {} } };

/** One of everything that a request may hold. */
export const FULL = {
  model: 'deployment-1',
  max_tokens: 2000,
  system: [{ type: 'text', text: 's' }],
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'x' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw==' } },
        { type: 'document', title: 't', source: { type: 'content', content: [{ type: 'text', text: 'a' }] } },
        { type: 'search_result', title: 't', source: 's', content: [{ type: 'text', text: 'q' }] },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'h', signature: '' },
        { type: 'text', text: 'b' },
        { type: 'tool_use', id: 'a', name: 'look', input: {} },
      ],
    },
    { role: 'system', content: 't' },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'tool_reference', tool_name: 'look' }], is_error: false }],
    },
  ],
  tools: [{ name: 'look', description: 'd', input_schema: { type: 'object' }, strict: true, defer_loading: false }],
  tool_choice: { type: 'tool', name: 'look', disable_parallel_tool_use: true },
  thinking: { type: 'enabled', budget_tokens: 1024, display: 'omitted' },
  output_config: { format: { type: 'json_schema', schema: { type: 'object' } }, effort: 'high' },
  context_management: { edits: [{ type: 'clear_thinking_20251015' }] },
  stop_sequences: ['a'],
  metadata: { user_id: 'u' },
  temperature: 1,
  top_p: 1,
  top_k: 1,
  stream: true,
  mcp_servers: [],
};
