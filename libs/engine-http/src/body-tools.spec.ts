import type { CanonicalRequest } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { toolFields } from './request-body.js';

const TOOLS: CanonicalRequest['tools'] = [{ name: 'f', description: 'd', parameters: { type: 'object' }, strict: true }, { name: 'g' }];
const request = (more: Partial<CanonicalRequest> = {}): CanonicalRequest => ({
  messages: [],
  sampling: {},
  stop: [],
  tools: TOOLS,
  ...more,
});
const F = { type: 'function', function: { name: 'f', description: 'd', parameters: { type: 'object' }, strict: true } };
const G = { type: 'function', function: { name: 'g', parameters: { type: 'object', properties: {} } } };

describe('toolFields', () => {
  it('offers tools with how they may be chosen, and says always whether several at once', () => {
    expect(toolFields(request(), 'vllm')).toEqual({ tools: [F, G], tool_choice: 'auto', parallel_tool_calls: true });
    expect(toolFields(request({ tool_choice: 'required', parallel_tool_calls: false }), 'llama-server')).toEqual({
      tools: [F, G],
      tool_choice: 'required',
      parallel_tool_calls: false,
    });
  });

  it('says nothing about tools where there are none', () => {
    const { tools: _tools, ...without } = request();
    expect(toolFields({ ...without, tool_choice: 'none', parallel_tool_calls: false }, 'vllm')).toEqual({});
  });

  it('names a tool, and leaves llama-server that one alone, which it must call', () => {
    expect(toolFields(request({ tool_choice: { name: 'g' } }), 'sglang')).toMatchObject({
      tools: [F, G],
      tool_choice: { type: 'function', function: { name: 'g' } },
    });
    expect(toolFields(request({ tool_choice: { name: 'g' } }), 'llama-server')).toMatchObject({ tools: [G], tool_choice: 'required' });
  });

  it('keeps tools from Ollama where none may be called, since it reads no choice', () => {
    expect(toolFields(request({ tool_choice: 'none' }), 'ollama')).toEqual({});
    expect(toolFields(request({ tool_choice: 'auto' }), 'ollama')).toEqual({ tools: [F, G] });
  });
});
