import type { CanonicalRequest } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { estimatePromptTokens, requestBody } from './request-body.js';

const request = (more: Partial<CanonicalRequest> = {}): CanonicalRequest => ({
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
  sampling: {},
  stop: [],
  ...more,
});
const OPTIONS = { model: 'm', flavour: 'other', maxTokens: null } as const;

describe('requestBody', () => {
  it('asks for a stream with usage and sends nothing that was not asked for', () => {
    expect(requestBody(request(), OPTIONS)).toEqual({
      model: 'm',
      messages: [{ role: 'user', content: 'Hi' }],
      stream: true,
      stream_options: { include_usage: true },
    });
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
    const body = requestBody(request({ sampling: { ...sampling, repetition_penalty: 1.1 }, stop: ['x'] }), { ...OPTIONS, maxTokens: 9 });
    expect(body).toMatchObject({ ...sampling, repetition_penalty: 1.1, stop: ['x'], max_tokens: 9 });
    expect(body).not.toHaveProperty('max_completion_tokens');
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

describe('estimatePromptTokens', () => {
  it('counts a token for about four bytes', () => {
    expect(estimatePromptTokens(request())).toBe(1);
    expect(estimatePromptTokens(request({ messages: [{ role: 'user', content: [{ type: 'text', text: 'é'.repeat(100) }] }] }))).toBe(50);
  });
});
