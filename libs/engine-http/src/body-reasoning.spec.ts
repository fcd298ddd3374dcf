import type { CanonicalRequest } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { reasoningFields } from './request-body.js';
import { FLAVOURS, type UpstreamFlavour } from './flavour.js';

const fieldsFor = (flavour: UpstreamFlavour, more: Partial<CanonicalRequest>, caps = FLAVOURS[flavour].caps) =>
  reasoningFields({ messages: [], sampling: {}, stop: [], ...more }, { flavour, caps });

describe('reasoningFields', () => {
  it.each(['vllm', 'sglang', 'llama-server'] as const)('switches the template of %s, where the caller’s own arguments win', (flavour) => {
    expect(fieldsFor(flavour, { reasoning: { enabled: false, effort: 'high' } })).toEqual({
      chat_template_kwargs: { enable_thinking: false },
    });
    expect(fieldsFor(flavour, { reasoning: { enabled: true, effort: 'xhigh' }, template_args: { a: 1, enable_thinking: false } })).toEqual({
      chat_template_kwargs: { enable_thinking: false, a: 1 },
      reasoning_effort: 'xhigh',
    });
    expect(fieldsFor(flavour, { template_args: { a: 'x' } })).toEqual({ chat_template_kwargs: { a: 'x' } });
    expect(fieldsFor(flavour, { template_args: {} })).toEqual({});
  });

  it('sends a thinking budget to llama-server only', () => {
    expect(fieldsFor('llama-server', { reasoning: { budget: 100 } })).toEqual({ thinking_budget_tokens: 100 });
    expect(fieldsFor('vllm', { reasoning: { budget: 100 } })).toEqual({});
  });

  it.each([
    [{ effort: 'minimal' }, 'low'],
    [{ effort: 'xhigh' }, 'max'],
    [{ effort: 'medium', enabled: true }, 'medium'],
    [{ enabled: false, effort: 'high' }, 'none'],
    [{ enabled: true }, 'medium'],
  ] as const)('sends Ollama %j as %s', (reasoning, effort) => {
    expect(fieldsFor('ollama', { reasoning })).toEqual({ reasoning_effort: effort });
  });

  it('drops the wish where a server would refuse it', () => {
    expect(fieldsFor('ollama', { reasoning: { effort: 'high' } }, ['tools'])).toEqual({});
    expect(fieldsFor('other', { reasoning: { effort: 'high', enabled: true } })).toEqual({});
    expect(fieldsFor('ollama', { reasoning: { budget: 5 } })).toEqual({});
  });
});
