import type { CanonicalRequest, Capability } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { assertSupported, FLAVOURS, type UpstreamFlavour } from './flavour.js';

const USER = { role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] };
const ASSISTANT = { role: 'assistant' as const, content: [{ type: 'text' as const, text: 'Well,' }] };
const TOOLS = [{ name: 'f' }, { name: 'g' }];
const request = (more: Partial<CanonicalRequest> = {}): CanonicalRequest => ({ messages: [USER], sampling: {}, stop: [], ...more });

function refusal(flavour: UpstreamFlavour, more: Partial<CanonicalRequest>, without: readonly Capability[] = []): unknown {
  try {
    assertSupported(request(more), { flavour, caps: FLAVOURS[flavour].caps.filter((cap) => !without.includes(cap)) });
    return null;
  } catch (error) {
    return error;
  }
}

const SERVERS = ['vllm', 'sglang', 'llama-server', 'ollama', 'other'] as const;

describe('assertSupported', () => {
  it.each<[string, string, Partial<CanonicalRequest>, UpstreamFlavour[]]>([
    ['several choices', 'n', { n: 2 }, ['ollama']],
    ['logit_bias', 'logit_bias', { sampling: { logit_bias: { '1': 1 } } }, ['ollama']],
    ['top_k', 'top_k', { sampling: { top_k: 5 } }, ['ollama']],
    ['min_p', 'min_p', { sampling: { min_p: 0.1 } }, ['ollama']],
    ['repetition_penalty', 'repetition_penalty', { sampling: { repetition_penalty: 1.2 } }, ['ollama']],
    ['min_tokens', 'min_tokens', { sampling: { min_tokens: 3 } }, ['llama-server', 'ollama', 'other']],
    ['stop_token_ids', 'stop_token_ids', { sampling: { stop_token_ids: [3] } }, ['llama-server', 'ollama', 'other']],
    ['ignore_eos', 'ignore_eos', { sampling: { ignore_eos: true } }, ['ollama', 'other']],
    ['a regular expression', 'structured_outputs', { output: { kind: 'regex', pattern: 'a' } }, ['llama-server', 'ollama', 'other']],
    ['a grammar', 'structured_outputs', { output: { kind: 'grammar', grammar: 'root ::= "a"' } }, ['ollama', 'other']],
    ['a choice', 'structured_outputs', { output: { kind: 'choice', options: ['a'] } }, ['ollama', 'other']],
    ['a JSON schema', 'response_format', { output: { kind: 'json_schema', schema: {} } }, []],
    ['a JSON object', 'response_format', { output: { kind: 'json_object' } }, []],
    ['tools', 'tools', { tools: TOOLS }, []],
    ['a forced call', 'tool_choice', { tools: TOOLS, tool_choice: 'required' }, ['ollama']],
    ['a named call', 'tool_choice', { tools: TOOLS, tool_choice: { name: 'g' } }, ['ollama']],
    ['probabilities', 'logprobs', { logprobs: 0 }, []],
    ['template arguments', 'chat_template_kwargs', { template_args: { x: 1 } }, ['ollama', 'other']],
    ['a continuation', 'continue_final_message', { messages: [USER, ASSISTANT], continue_final: true }, ['ollama', 'other']],
    ['reasoning, which is a wish', 'reasoning_effort', { reasoning: { effort: 'high' } }, []],
    ['a seed', 'seed', { sampling: { seed: 1 } }, []],
    ['a turn after the assistant', 'messages', { messages: [USER, ASSISTANT] }, ['sglang', 'llama-server']],
    ['probabilities beside tools', 'logprobs', { logprobs: 1, tools: TOOLS }, ['llama-server']],
    [
      'a choice beside tools',
      'structured_outputs',
      { tools: TOOLS, output: { kind: 'choice', options: ['a'] } },
      ['llama-server', 'ollama', 'other'],
    ],
  ])('refuses %s where it would be ignored, naming %s', (_name, param, more, refusing) => {
    const refused = SERVERS.filter((flavour) => refusal(flavour, more) !== null);
    expect(refused).toEqual(refusing);
    for (const flavour of refused) {
      expect(refusal(flavour, more)).toMatchObject({ param, code: expect.stringMatching(/^unsupported_(parameter|value)$/) as string });
    }
  });

  it('refuses nothing that asks for nothing', () => {
    const trivial = { top_k: 0, min_p: 0, repetition_penalty: 1, logit_bias: {}, min_tokens: 0, ignore_eos: false, stop_token_ids: [] };
    for (const flavour of SERVERS) {
      expect(refusal(flavour, { n: 1, sampling: trivial, template_args: {}, tools: TOOLS, tool_choice: 'none' })).toBeNull();
    }
  });

  it('refuses images where the model takes none', () => {
    const content = [{ type: 'image' as const, url: 'data:image/png;base64,AA' }];
    const more = { messages: [{ role: 'user' as const, content }] };
    expect(refusal('vllm', more)).toBeNull();
    expect(refusal('llama-server', more, ['images'])).toMatchObject({ code: 'unsupported_content', param: 'messages' });
  });

  it('refuses to force a tool that is not on offer', () => {
    expect(refusal('vllm', { tools: TOOLS, tool_choice: { name: 'h' } })).toMatchObject({ code: 'invalid_value', param: 'tool_choice' });
    expect(refusal('vllm', { tool_choice: 'required' })).toMatchObject({ code: 'invalid_value', param: 'tool_choice' });
  });

  it('refuses to continue anything but the text of the assistant', () => {
    const calling = { ...ASSISTANT, tool_calls: [{ id: 'a', name: 'f', arguments: '{}' }] };
    for (const messages of [[USER], [USER, calling]]) {
      expect(refusal('vllm', { messages, continue_final: true })).toMatchObject({ code: 'invalid_value', param: 'continue_final_message' });
    }
  });
});
