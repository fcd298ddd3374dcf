import { describe, expect, it } from 'vitest';
import { type MessagesRequest, readCountRequest } from './request.js';
import type { SurfaceRequest } from '../surface.js';
import { assistant, deployment, MINIMAL, PNG, POLICY, read, text, TOOL, toolUse, user } from './request.samples.js';

describe('a messages request', () => {
  it('becomes the canonical request, and nothing else', () => {
    expect(read()).toEqual({
      canonical: {
        messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
        sampling: {},
        stop: [],
        max_tokens: 100,
        reasoning: { enabled: false },
      },
      stream: false,
      affinity: undefined,
      names: {},
      thinking: 'dropped',
      maxTokens: 100,
      oneCall: false,
    });
  });

  it('passes on sampling, many stop sequences and streaming', () => {
    const stops = ['a', 'b', 'c', 'd', 'e'];
    const { canonical, stream } = read({ temperature: 1.5, top_p: 0.9, top_k: 5, stop_sequences: stops, stream: true });
    expect(canonical).toMatchObject({ sampling: { temperature: 1.5, top_p: 0.9, top_k: 5 }, stop: stops });
    expect(stream).toBe(true);
  });

  it('with top_p 0 asks for the most probable token', () => {
    expect(read({ temperature: 0.7, top_p: 0 }).canonical.sampling).toEqual({ temperature: 0 });
  });

  it('above the context gets what fits', () => {
    expect(read({ max_tokens: 32_000 })).toMatchObject({ canonical: { max_tokens: 4096 }, maxTokens: 32_000 });
  });

  it('for no tokens evaluates the prompt with least output', () => {
    expect(read({ max_tokens: 0 })).toMatchObject({ canonical: { max_tokens: 1 }, maxTokens: 0 });
  });

  it.each(['deployment-1', 'demo', 'acme/demo'])('names its deployment as %s', (model) => {
    expect(read({ model }).canonical.max_tokens).toBe(100);
  });

  it.each<[string, object]>([
    ['cache control', { cache_control: { type: 'ephemeral', ttl: '1h' } }],
    ['metadata', { metadata: { user_id: 'x'.repeat(300) } }],
    ['a budget of the task', { output_config: { task_budget: { type: 'tokens', total: 5 } } }],
    ['edits of what is not kept', { context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] } }],
    ['empty lists', { tools: [], mcp_servers: [], fallbacks: [], container: null, thread: null }],
    ['a tool choice that asks for nothing', { tool_choice: { type: 'auto', disable_parallel_tool_use: true } }],
    ['tiers', { service_tier: 'auto', speed: 'fast', inference_geo: 'x', diagnostics: {}, billing_policy: {}, betas: ['x'] }],
    ['unknown fields', { made_up: { deep: [1] } }],
    ['nulls', { temperature: null, stop_sequences: null, system: null, stream: null, metadata: { user_id: null }, output_config: null }],
  ])('accepts %s and passes none on', (_, fields) => {
    expect(read(fields)).toEqual(read());
  });

  it.each<[object | undefined, MessagesRequest['thinking'], object]>([
    [undefined, 'dropped', { enabled: false }],
    [{ type: 'disabled' }, 'dropped', { enabled: false }],
    [{ type: 'between_tools' }, 'dropped', { enabled: false }],
    [{ type: 'adaptive' }, 'shown', { enabled: true }],
    [{ type: 'adaptive', display: 'omitted' }, 'omitted', { enabled: true }],
    [{ type: 'enabled', budget_tokens: 1024, display: 'summarized' }, 'shown', { enabled: true, budget: 1024 }],
    [{ type: 'enabled', budget_tokens: 1024, display: null }, 'shown', { enabled: true, budget: 1024 }],
  ])('with thinking %j is %s by %j', (thinking, display, reasoning) => {
    expect(read({ max_tokens: 2048, thinking })).toMatchObject({ thinking: display, canonical: { reasoning } });
  });

  it('thinks only about results between tools', () => {
    const result = { type: 'tool_result', tool_use_id: 'a', content: 'ok' };
    const messages = [user('q'), assistant([toolUse('a')]), user([result])];
    expect(read({ messages, thinking: { type: 'between_tools' } })).toMatchObject({
      thinking: 'shown',
      canonical: { reasoning: { enabled: true } },
    });
  });

  it.each<[object, object]>([
    [{ output_config: { effort: 'max' } }, { effort: 'max' }],
    [
      { output_config: { effort: 'high' }, thinking: { type: 'adaptive' } },
      { enabled: true, effort: 'high' },
    ],
    [{ output_config: { effort: 'low' }, thinking: { type: 'disabled' } }, { enabled: false }],
    [{ output_config: { effort: null } }, { enabled: false }],
  ])('with %j asks for reasoning %j', (fields, reasoning) => {
    expect(read(fields).canonical.reasoning).toEqual(reasoning);
  });

  it.each([
    { output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } },
    { output_format: { type: 'json_schema', schema: { type: 'object' } } },
  ])('with %j gets an answer so formed', (fields) => {
    expect(read(fields).canonical.output).toEqual({ kind: 'json_schema', name: 'output', schema: { type: 'object' }, strict: true });
  });

  it('gets errors under the form’s name it used', () => {
    const format = { type: 'json_schema', schema: { type: 'object' } };
    expect(read({ output_format: format }).names).toEqual({ response_format: 'output_format', structured_outputs: 'output_format' });
    expect(read({ output_config: { format } }).names).toEqual({});
  });

  it('keeps its images, and those on allowed hosts', () => {
    const remote = { type: 'image', source: { type: 'url', url: 'https://images.example/a.png' } };
    const [message] = read({ messages: [user([text('a'), PNG, remote, text('b'), text('c')])] }).canonical.messages;
    expect(message?.content).toEqual([
      { type: 'text', text: 'a' },
      { type: 'image', url: 'data:image/png;base64,iVBORw==' },
      { type: 'image', url: 'https://images.example/a.png' },
      { type: 'text', text: 'b\n\nc' },
    ]);
  });

  it.each<[object, string]>([
    [{ type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'All.' }, title: 'T', context: 'C' }, 'T\nC\n\nAll.'],
    [{ type: 'document', source: { type: 'content', content: 'All.' } }, 'All.'],
    [{ type: 'document', source: { type: 'content', content: [text('One.'), text('Two.')] } }, 'One.\n\nTwo.'],
    [
      { type: 'search_result', title: 'T', source: 'https://x.example', content: [text('One.'), text('Two.')] },
      'T\nhttps://x.example\nOne.\nTwo.',
    ],
  ])('reads the content %j as text', (block, expected) => {
    expect(read({ messages: [user([block])] }).canonical.messages).toEqual([user([text(expected)])]);
  });
});

describe('a count of tokens', () => {
  const count = (fields: object): SurfaceRequest =>
    readCountRequest({ ...MINIMAL, max_tokens: undefined, ...fields }, deployment(), POLICY);

  it('counts the prompt of the real request', () => {
    const fields = { system: 's', tools: [TOOL], thinking: { type: 'adaptive' }, tool_choice: { type: 'any' } };
    const { max_tokens: _, ...asked } = read({ ...fields, max_tokens: 50, stream: true }).canonical;
    expect(count({ ...fields, max_tokens: 50, stream: true }).canonical).toEqual(asked);
    expect(count(fields).canonical).toEqual(asked);
  });

  it('is refused for what a message is refused for', () => {
    expect(() => count({ messages: [] })).toThrow('messages: ');
    expect(() => count({ max_tokens: -1 })).toThrow('max_tokens: ');
    expect(() => count({ thread: { type: 'create' } })).toThrow('thread: ');
  });
});
