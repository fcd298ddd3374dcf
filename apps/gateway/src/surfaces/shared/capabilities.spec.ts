import type { CanonicalRequest, Capability } from '@slipway/contracts';
import { CAPABILITIES } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { missingCapability, requiredCapabilities } from './capabilities.js';

const text = [{ type: 'text' as const, text: 'x' }];
const request = (fields: Partial<CanonicalRequest> = {}): CanonicalRequest => ({
  messages: [{ role: 'user', content: text }],
  sampling: {},
  stop: [],
  ...fields,
});
const tools = [{ name: 'f' }];
const sampling = (fields: CanonicalRequest['sampling']): CanonicalRequest => request({ sampling: fields });

const NEEDED: [Capability[], CanonicalRequest][] = [
  [['images'], request({ messages: [{ role: 'user', content: [...text, { type: 'image', url: 'data:image/png;base64,AA==' }] }] })],
  [['tools'], request({ tools })],
  [['tools'], request({ tools, tool_choice: 'auto' })],
  [['tools'], request({ tools, tool_choice: 'none' })],
  [['tools', 'tool_choice'], request({ tools, tool_choice: 'required' })],
  [['tools', 'tool_choice'], request({ tools, tool_choice: { name: 'f' } })],
  [['tools'], request({ messages: [{ role: 'assistant', content: [], tool_calls: [{ id: 'a', name: 'f', arguments: '{}' }] }] })],
  [['tools'], request({ messages: [{ role: 'tool', content: text, tool_call_id: 'a' }] })],
  [['json_object'], request({ output: { kind: 'json_object' } })],
  [['json_schema'], request({ output: { kind: 'json_schema', schema: {} } })],
  [['regex'], request({ output: { kind: 'regex', pattern: 'a' } })],
  [['choice'], request({ output: { kind: 'choice', options: ['a'] } })],
  [['grammar'], request({ output: { kind: 'grammar', grammar: 'root ::= "a"' } })],
  [['logprobs'], request({ logprobs: 0 })],
  [['n'], request({ n: 2 })],
  [['continue_final'], request({ continue_final: true })],
  [['template_args'], request({ template_args: { enable_thinking: false } })],
  [['top_k'], sampling({ top_k: 5 })],
  [['min_p'], sampling({ min_p: 0.1 })],
  [['repetition_penalty'], sampling({ repetition_penalty: 1.1 })],
  [['seed'], sampling({ seed: 0 })],
  [['logit_bias'], sampling({ logit_bias: { 5: 1 } })],
  [['min_tokens'], sampling({ min_tokens: 1 })],
  [['ignore_eos'], sampling({ ignore_eos: true })],
  [['stop_token_ids'], sampling({ stop_token_ids: [2] })],
];

const NOTHING: CanonicalRequest[] = [
  request(),
  request({ n: 1, continue_final: false, template_args: {}, parallel_tool_calls: false, max_tokens: 5 }),
  request({ reasoning: { effort: 'low', enabled: true } }),
  sampling({ temperature: 0, top_p: 0.5, frequency_penalty: 1, presence_penalty: 1 }),
  sampling({ top_k: 0, min_p: 0, repetition_penalty: 1, logit_bias: {}, min_tokens: 0, ignore_eos: false, stop_token_ids: [] }),
];

describe('what a request needs', () => {
  it.each(NEEDED)('is %j, and without it the request is refused', (words, needing) => {
    expect(requiredCapabilities(needing)).toEqual(words);
    expect(missingCapability(needing, CAPABILITIES)).toBeNull();
    for (const word of words) {
      const lacking = CAPABILITIES.filter((other) => other !== word);
      expect(missingCapability(needing, lacking)).toBe(word);
    }
  });

  it.each(NOTHING)('needs nothing beyond text for %j', (plain) => {
    expect(requiredCapabilities(plain)).toEqual([]);
  });

  it('accepts everything before an engine was seen', () => {
    for (const [, needing] of NEEDED) expect(missingCapability(needing, [])).toBeNull();
  });
});
