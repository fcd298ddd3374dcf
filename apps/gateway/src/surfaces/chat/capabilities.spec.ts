import { CAPABILITIES, type CanonicalRequest, type ServiceError } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import type { ResolvedDeployment } from '../../deployments/deployment-resolver.service.js';
import { readChatRequest } from './request.js';

const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
const user = { role: 'user', content: 'Hello' };
const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } };
const tools = [{ type: 'function', function: { name: 'f' } }];

function read(fields: object, caps: readonly string[]): CanonicalRequest {
  const deployment = { facts: { context: 4096, caps }, slug: 'deployment-1', isNamed: () => true } as unknown as ResolvedDeployment;
  return readChatRequest({ model: 'deployment-1', messages: [user], ...fields }, deployment, { imageHosts: [] }).canonical;
}

const faultOf = (fields: object, caps: readonly string[]): { code: string; param: string | undefined } => {
  try {
    read(fields, caps);
  } catch (error) {
    const { code, param, message } = error as ServiceError;
    expect(message).toMatch(/deployment/);
    return { code, param };
  }
  throw new Error('The request was accepted.');
};

describe('a deployment that lacks', () => {
  it.each<[string, object, string, string]>([
    [
      'images',
      { messages: [user, { role: 'user', content: [{ type: 'text', text: 'x' }, image] }] },
      'messages[1].content[1].image_url',
      'unsupported_content',
    ],
    ['tools', { tools }, 'tools', 'unsupported_parameter'],
    ['tools', { messages: [user, { role: 'assistant', tool_calls: [call] }] }, 'messages[1].tool_calls', 'unsupported_content'],
    ['tools', { messages: [user, { role: 'tool', tool_call_id: 'a', content: 'x' }] }, 'messages[1].role', 'unsupported_content'],
    ['tool_choice', { tools, tool_choice: 'required' }, 'tool_choice', 'unsupported_value'],
    ['tool_choice', { tools, tool_choice: { type: 'function', function: { name: 'f' } } }, 'tool_choice', 'unsupported_value'],
    ['json_object', { response_format: { type: 'json_object' } }, 'response_format', 'unsupported_parameter'],
    [
      'json_schema',
      { response_format: { type: 'json_schema', json_schema: { name: 'x', schema: {} } } },
      'response_format',
      'unsupported_parameter',
    ],
    ['json_schema', { guided_json: {} }, 'guided_json', 'unsupported_parameter'],
    ['regex', { structured_outputs: { regex: 'a' } }, 'structured_outputs', 'unsupported_parameter'],
    ['choice', { guided_choice: ['a'] }, 'guided_choice', 'unsupported_parameter'],
    ['grammar', { grammar: 'g' }, 'grammar', 'unsupported_parameter'],
    ['logprobs', { logprobs: true }, 'logprobs', 'unsupported_parameter'],
    ['n', { n: 2 }, 'n', 'unsupported_value'],
    [
      'continue_final',
      { messages: [user, { role: 'assistant', content: 'x' }], continue_final_message: true },
      'continue_final_message',
      'unsupported_parameter',
    ],
    ['template_args', { chat_template_kwargs: { enable_thinking: true } }, 'chat_template_kwargs', 'unsupported_parameter'],
    ['top_k', { top_k: 5 }, 'top_k', 'unsupported_parameter'],
    ['min_p', { min_p: 0.1 }, 'min_p', 'unsupported_parameter'],
    ['repetition_penalty', { repetition_penalty: 1.1 }, 'repetition_penalty', 'unsupported_parameter'],
    ['seed', { seed: 1 }, 'seed', 'unsupported_parameter'],
    ['logit_bias', { logit_bias: { 5: 1 } }, 'logit_bias', 'unsupported_parameter'],
    ['min_tokens', { min_tokens: 1 }, 'min_tokens', 'unsupported_parameter'],
    ['ignore_eos', { ignore_eos: true, max_tokens: 5 }, 'ignore_eos', 'unsupported_parameter'],
    ['stop_token_ids', { stop_token_ids: [5] }, 'stop_token_ids', 'unsupported_parameter'],
  ])('%s names the field for %j, or accepts it', (word, fields, param, code) => {
    const lacking = CAPABILITIES.filter((other) => other !== word);
    expect(faultOf(fields, lacking)).toEqual({ code, param });
    expect(read(fields, CAPABILITIES).messages).not.toHaveLength(0);
    expect(read(fields, []).messages).not.toHaveLength(0);
  });

  it('reasoning accepts an effort as best effort', () => {
    expect(read({ reasoning_effort: 'low' }, ['seed']).reasoning).toEqual({ effort: 'low' });
  });
});
