import { CanonicalRequest, isServiceError } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import type { ResolvedDeployment } from '../../deployments/deployment-resolver.service.js';
import { readChatRequest } from './request.js';

const ROUNDS = 3_000;
const tool = (name: string) => ({
  type: 'function',
  function: { name, description: 'd', parameters: { type: 'object', properties: {} }, strict: true },
});
/** A request with every field that has a structure. */
const FULL = {
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
const VALUES: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1.5, 1e300, '', 'x', '{', '[]', 'toString', '__proto__', 'data:image/png;base64,'],
  ...[[], [null], [[]], ['a', 'b'], {}, { type: 'function' }, { json: {}, regex: 'a' }, { toString: 2, length: 5, hasOwnProperty: 1 }],
  Array.from({ length: 3_000 }, () => 1),
];
const NAMES = ['functions', 'guided_json', 'guided_choice', 'regex', 'type', 'function', 'content', 'role', 'audio', 'lora', 'image_url'];
const INHERITED = ['toString', 'hasOwnProperty', 'valueOf'];

/** Numbers that look random and are the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
}

/** The value with something in it lost, replaced or added. */
function mutated(value: unknown, random: (below: number) => number): unknown {
  if (typeof value !== 'object' || value === null || random(4) === 0) return VALUES[random(VALUES.length)];
  const entries = Object.entries(value);
  const strange = [...NAMES, ...INHERITED];
  const name = entries.length === 0 || random(6) === 0 ? strange[random(strange.length)]! : entries[random(entries.length)]![0];
  const changed = mutated((value as Record<string, unknown>)[name], random);
  if (Array.isArray(value))
    return random(10) === 0 ? value.slice(1) : value.map((item: unknown, i) => (String(i) === name ? changed : item));
  return random(10) === 0 ? Object.fromEntries(entries.filter(([key]) => key !== name)) : { ...value, [name]: changed };
}

describe('a chat request of any form', () => {
  const deployment = { facts: { caps: [] as string[], context: 100 }, slug: 'm', isNamed: () => true } as unknown as ResolvedDeployment;

  it('is either a request that every worker can read, or refused by the name of a field', () => {
    const random = numbers(7);
    let taken = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const body = mutated(random(3) === 0 ? mutated(FULL, random) : FULL, random);
      if (typeof body !== 'object' || body === null || Array.isArray(body)) continue;
      try {
        const { canonical } = readChatRequest(body as Record<string, unknown>, deployment, { imageHosts: [] });
        if (!CanonicalRequest.safeParse(canonical).success) expect.unreachable(`no worker reads ${JSON.stringify(canonical)}`);
        taken += 1;
      } catch (error) {
        if (!isServiceError(error)) expect.unreachable(`${String(error)} for ${JSON.stringify(body)}`);
        else if (!error.param || /undefined|\[object/.test(error.message))
          expect.unreachable(`${error.message} for ${JSON.stringify(body)}`);
      }
    }
    expect(taken).toBeGreaterThan(ROUNDS / 100);
  }, 60_000);
});
