import type { CanonicalRequest } from '@slipway/contracts';
import { estimateTokens, factsOf, promptBytes } from '@slipway/engine';
import { describe, expect, it } from 'vitest';
import { FLAVOURS, type UpstreamFlavour } from './flavour.js';
import { requestBody as made } from './request-body.js';

/** The body as it is sent. */
const requestBody = (...args: Parameters<typeof made>): Record<string, unknown> =>
  JSON.parse(JSON.stringify(made(...args))) as Record<string, unknown>;

const request = (more: Partial<CanonicalRequest> = {}): CanonicalRequest => ({
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
  sampling: {},
  stop: [],
  ...more,
});
const optionsOf = (flavour: UpstreamFlavour) => ({ model: 'm', flavour, caps: FLAVOURS[flavour].caps, maxTokens: null });
const OPTIONS = optionsOf('other');
const bodyFor = (flavour: UpstreamFlavour, more: Partial<CanonicalRequest> = {}) => requestBody(request(more), optionsOf(flavour));

describe('requestBody', () => {
  it('asks for a stream with usage and sends nothing that was not asked for', () => {
    expect(requestBody(request(), OPTIONS)).toEqual({
      model: 'm',
      messages: [{ role: 'user', content: 'Hi' }],
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it.each(Object.keys(FLAVOURS) as UpstreamFlavour[])('holds no field without a value for %s', (flavour) => {
    const body = made(request({ sampling: { temperature: 0 } }), optionsOf(flavour));
    expect(Object.values(body)).not.toContain(undefined);
    expect(body['temperature']).toBe(0);
  });

  it('joins the parts of a message to one string', () => {
    const content = [
      { type: 'text' as const, text: 'a' },
      { type: 'text' as const, text: 'b' },
    ];
    expect(requestBody(request({ messages: [{ role: 'system', content, name: 'n' }] }), OPTIONS)['messages']).toEqual([
      { role: 'system', content: 'ab', name: 'n' },
    ]);
  });

  it('forwards sampling, stop strings and the limit of tokens', () => {
    const sampling = {
      temperature: 0.5,
      top_p: 0.9,
      top_k: 5,
      min_p: 0.1,
      seed: 7,
      frequency_penalty: 1,
      presence_penalty: -1,
      logit_bias: { '5': 1 },
    };
    const options = { ...optionsOf('vllm'), maxTokens: 9 };
    const body = requestBody(request({ sampling: { ...sampling, repetition_penalty: 1.1 }, stop: ['x'] }), options);
    expect(body).toMatchObject({ ...sampling, repetition_penalty: 1.1, stop: ['x'], max_tokens: 9 });
    expect(body).not.toHaveProperty('max_completion_tokens');
  });

  it('leaves stop strings to servers that say which one they met, and to no others', () => {
    const withStop = (['vllm', 'sglang', 'llama-server', 'ollama', 'other'] as const).filter(
      (flavour) => 'stop' in bodyFor(flavour, { stop: ['x'] }),
    );
    expect(withStop).toEqual(['vllm', 'sglang']);
  });

  it('asks for running figures where a server has them', () => {
    expect(bodyFor('vllm')['stream_options']).toEqual({ include_usage: true, continuous_usage_stats: true });
    expect(bodyFor('sglang')['stream_options']).toEqual({ include_usage: true, continuous_usage_stats: true });
    expect(bodyFor('llama-server')).toMatchObject({ stream_options: { include_usage: true }, timings_per_token: true });
    expect(bodyFor('llama-server', { n: 2 })).not.toHaveProperty('timings_per_token');
    expect(bodyFor('vllm', { n: 2 })['stream_options']).toEqual({ include_usage: true });
    expect(bodyFor('ollama')['stream_options']).toEqual({ include_usage: true });
  });

  it('sends ends by token only to those who know them', () => {
    const sampling = { min_tokens: 1, ignore_eos: true, stop_token_ids: [2] };
    expect(bodyFor('vllm', { sampling })).toMatchObject(sampling);
    expect(bodyFor('sglang', { sampling })).toMatchObject(sampling);
    const llama = bodyFor('llama-server', { sampling });
    expect(llama).toMatchObject({ ignore_eos: true });
    for (const field of ['min_tokens', 'stop_token_ids']) expect(llama).not.toHaveProperty(field);
  });

  it('asks for several choices and for probabilities, of which llama-server gives none for 0 alternatives', () => {
    expect(bodyFor('vllm', { n: 3, logprobs: 0 })).toMatchObject({ n: 3, logprobs: true, top_logprobs: 0 });
    expect(bodyFor('llama-server', { logprobs: 0 })).toMatchObject({ logprobs: true, top_logprobs: 1 });
    expect(bodyFor('ollama', { logprobs: 4, n: 1 })).toMatchObject({ logprobs: true, top_logprobs: 4 });
    expect(bodyFor('ollama', { n: 1 })).not.toHaveProperty('n');
  });

  it('asks servers to continue the last message where needed', () => {
    expect(bodyFor('vllm', { continue_final: true })).toMatchObject({ continue_final_message: true, add_generation_prompt: false });
    expect(bodyFor('sglang', { continue_final: true })).toMatchObject({ continue_final_message: true });
    expect(bodyFor('sglang', { continue_final: true })).not.toHaveProperty('add_generation_prompt');
    expect(bodyFor('llama-server', { continue_final: true })).not.toHaveProperty('continue_final_message');
  });

  it('sends only fields of the canonical request, whatever else an object holds', () => {
    const odd = { ...request(), n_predict: -1, sampling: {}, lora: 'x' } as CanonicalRequest;
    expect(Object.keys(requestBody(odd, OPTIONS)).toSorted()).toEqual(['messages', 'model', 'stream', 'stream_options']);
  });

  it('uses the names that a server knows', () => {
    const body = requestBody(request({ sampling: { repetition_penalty: 1.2, top_k: 0 } }), { ...OPTIONS, flavour: 'llama-server' });
    expect(body).toMatchObject({ repeat_penalty: 1.2, top_k: 0 });
    expect(body).not.toHaveProperty('repetition_penalty');
    expect(requestBody(request({ sampling: { top_k: 0 } }), OPTIONS)).toMatchObject({ top_k: -1 });
  });

  it('says "the most likely token" in words that everybody takes', () => {
    const body = requestBody(request({ sampling: { top_p: 0, temperature: 1 } }), OPTIONS);
    expect(body).toMatchObject({ temperature: 0 });
    expect(body).not.toHaveProperty('top_p');
  });
});

describe('estimateTokens', () => {
  it('counts a token for about four bytes', () => {
    expect(estimateTokens(factsOf(request()))).toBe(1);
    const calls = [{ id: 'c', name: 'abcd', arguments: '{"a":1}x' }];
    const history = [{ role: 'assistant' as const, content: [], reasoning: '1234', tool_calls: calls }];
    expect(promptBytes(request({ messages: history, tools: [{ name: 'f' }] }))).toBe(16 + '[{"name":"f"}]'.length);
    const image = { type: 'image' as const, url: 'data:image/png;base64,AAAA' };
    expect(estimateTokens(factsOf(request({ messages: [{ role: 'user', content: [image] }] })))).toBe(512);
    expect(estimateTokens(factsOf(request({ messages: [{ role: 'user', content: [{ type: 'text', text: 'é'.repeat(100) }] }] })))).toBe(50);
  });
});
