import type { CanonicalMessage } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { messageFields } from './request-body.js';
import { FLAVOURS, type UpstreamFlavour } from './flavour.js';

const text = (value: string) => ({ type: 'text' as const, text: value });
const fieldsOf = (message: CanonicalMessage, flavour: UpstreamFlavour = 'vllm') => messageFields([message], FLAVOURS[flavour])[0];
const calling = (args: string): CanonicalMessage => ({
  role: 'assistant',
  content: [],
  tool_calls: [{ id: 'x1', name: 'f', arguments: args }],
});

describe('messageFields', () => {
  it('makes one string of the parts of a text, and parts only where there are images', () => {
    expect(fieldsOf({ role: 'user', content: [text('a'), text('b')], name: 'n' })).toEqual({ role: 'user', content: 'ab', name: 'n' });
    const image = { type: 'image' as const, url: 'data:image/png;base64,AA' };
    expect(fieldsOf({ role: 'user', content: [text('a'), image] })).toEqual({
      role: 'user',
      content: [
        { type: 'text', text: 'a' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } },
      ],
    });
  });

  it('passes calls and their results on with the ids that they came with', () => {
    expect(fieldsOf(calling('{"a":1}'))).toEqual({
      role: 'assistant',
      content: '',
      tool_calls: [{ id: 'x1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
    });
    expect(fieldsOf({ role: 'tool', content: [text('18')], tool_call_id: 'x1', name: 'f' })).toEqual({
      role: 'tool',
      content: '18',
      tool_call_id: 'x1',
      name: 'f',
    });
  });

  it('says {} for a call without arguments, and refuses arguments that no template can read', () => {
    expect(fieldsOf(calling(''))).toMatchObject({ tool_calls: [{ function: { arguments: '{}' } }] });
    for (const args of ['{', '[]', '"x"', 'null']) {
      expect(() => fieldsOf(calling(args))).toThrow(expect.objectContaining({ code: 'invalid_value', param: 'messages' }));
    }
  });

  it.each([
    ['vllm', { reasoning: 'hm' }],
    ['ollama', { reasoning: 'hm' }],
    ['sglang', { reasoning_content: 'hm' }],
    ['llama-server', { reasoning_content: 'hm' }],
    ['other', {}],
  ] as const)('sends %s earlier thoughts under its own name for them', (flavour, expected) => {
    expect(fieldsOf({ role: 'assistant', content: [text('x')], reasoning: 'hm' }, flavour)).toEqual({
      role: 'assistant',
      content: 'x',
      ...expected,
    });
  });
});
