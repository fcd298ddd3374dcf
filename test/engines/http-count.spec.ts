import type { CanonicalRequest } from '@slipway/contracts';
import { PLAYED_PROMPT_TOKENS, type PlayedServer, jsonAnswer, playUpstream } from '@slipway/testing';
import { describe, expect, it } from 'vitest';
import { EngineRun, ask, until } from './engine-run.js';
import { UpstreamBench } from './upstream-bench.js';

const TOOLS: CanonicalRequest['tools'] = [{ name: 'f', description: 'd', parameters: { type: 'object', properties: {} } }];
const CALLED: CanonicalRequest['messages'] = [
  { role: 'system', content: [{ type: 'text', text: 'S' }] },
  { role: 'user', content: [{ type: 'text', text: 'U' }] },
  { role: 'assistant', content: [{ type: 'text', text: 'A' }], tool_calls: [{ id: 'c1', name: 'f', arguments: '{"x":1}' }] },
  { role: 'tool', content: [{ type: 'text', text: 'R' }], tool_call_id: 'c1' },
];

describe('the http engine counts', () => {
  const bench = new UpstreamBench();
  const never = new AbortController().signal;
  const asked = (path: string) => bench.upstream.requests.findLast((request) => request.path === path)?.body;

  it.each<[PlayedServer, string]>([
    ['vllm', '/tokenize'],
    ['sglang', '/v1/messages/count_tokens'],
    ['llama-server', '/v1/chat/completions/input_tokens'],
  ])('exactly with %s, by asking it at %s', async (server, path) => {
    playUpstream(bench.upstream, server, 'text');
    const engine = await bench.loaded();
    expect(await engine.count(ask('Hi', { tools: TOOLS }), never)).toEqual({ tokens: PLAYED_PROMPT_TOKENS, exact: true });
    expect(asked(path)).toMatchObject({ model: 'scripted', tools: [expect.anything()] });
    expect(asked(path)).not.toHaveProperty('stream');
  });

  it('the prompt with its template arguments and tools, as generation would send it', async () => {
    playUpstream(bench.upstream, 'vllm', 'text');
    const engine = await bench.loaded();
    await engine.count(ask('', { messages: CALLED, tools: TOOLS, tool_choice: 'none', template_args: { a: 1 } }), never);
    const counted = asked('/tokenize') as Record<string, unknown>;
    await new EngineRun(engine, ask('', { messages: CALLED, tools: TOOLS, tool_choice: 'none', template_args: { a: 1 } })).done();
    const [chat] = bench.upstream.chats;
    for (const field of ['messages', 'tools', 'chat_template_kwargs']) expect(counted[field]).toEqual(chat?.[field]);
    expect(counted).toMatchObject({ add_generation_prompt: true });
    for (const field of ['tool_choice', 'parallel_tool_calls', 'stream', 'n']) expect(counted).not.toHaveProperty(field);
  });

  it('in the words of the messages contract where a server counts only there', async () => {
    playUpstream(bench.upstream, 'sglang', 'text');
    const engine = await bench.loaded();
    await engine.count(ask('', { messages: CALLED, tools: TOOLS }), never);
    expect(asked('/v1/messages/count_tokens')).toEqual({
      model: 'scripted',
      system: 'S',
      messages: [
        { role: 'user', content: 'U' },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'A' },
            { type: 'tool_use', id: 'c1', name: 'f', input: { x: 1 } },
          ],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'R' }] },
      ],
      tools: [{ name: 'f', description: 'd', input_schema: { type: 'object', properties: {} } }],
    });
    // That contract has no words for template arguments.
    expect(await engine.count(ask('Hi', { template_args: { a: 1 } }), never)).toMatchObject({ exact: false });
  });

  it('about four bytes to a token where a server does not count, and says that it is an estimate', async () => {
    playUpstream(bench.upstream, 'ollama', 'text');
    const facts = await bench.engine().load(() => undefined, never);
    expect(facts.caps).not.toContain('exact_count');
    expect(await (await bench.loaded()).count(ask('12345678'), never)).toEqual({ tokens: 2, exact: false });
  });

  it('no image exactly, and gives none of them away', async () => {
    playUpstream(bench.upstream, 'vllm', 'text');
    const engine = await bench.loaded();
    const content = [
      { type: 'text' as const, text: 'x' },
      { type: 'image' as const, url: 'https://images.example/secret.png' },
    ];
    expect(await engine.count(ask('', { messages: [{ role: 'user', content }] }), never)).toEqual({
      tokens: PLAYED_PROMPT_TOKENS + 512,
      exact: false,
    });
    expect(JSON.stringify(bench.upstream.requests)).not.toContain('secret.png');
  });

  it('a text that cannot fit without sending all of it', async () => {
    playUpstream(bench.upstream, 'vllm', 'text');
    const engine = await bench.loaded();
    const before = bench.upstream.requests.length;
    expect(await engine.count(ask('x'.repeat(64 * 4_096 + 1)), never)).toMatchObject({ exact: false, tokens: 65_537 });
    expect(bench.upstream.requests).toHaveLength(before);
  });

  it('a prompt as soon as the number is there, of an answer that never ends', async () => {
    playUpstream(bench.upstream, 'vllm', 'text');
    const engine = await bench.loaded();
    const list = '{},'.repeat(200_000);
    bench.upstream.posts.set('/tokenize', () => ({ steps: [{ write: `{"count":17,"x":[${list}` }, { hang: true }] }));
    expect(await engine.count(ask('Hi'), never)).toEqual({ tokens: 17, exact: true });
    // What comes before the number is read up to the bound and not kept.
    bench.upstream.posts.set('/tokenize', () => ({ steps: [{ write: `{"x":[${list}{}],"count":17}` }] }));
    await expect(engine.count(ask('Hi'), never)).rejects.toMatchObject({ code: 'engine_error' });
    expect(await engine.count(ask('x'.repeat(32_768)), never)).toEqual({ tokens: 17, exact: true });
  });

  it('25 at once while all slots are taken', async () => {
    playUpstream(bench.upstream, 'llama-server', 'silence');
    const engine = await bench.loaded({ slots: 1 });
    const running = new EngineRun(engine, ask('Hi'));
    await until('the slot is taken', () => running.text !== '');
    const counts = await Promise.all(Array.from({ length: 25 }, () => engine.count(ask('Hi'), new AbortController().signal)));
    expect(counts).toEqual(Array.from({ length: 25 }, () => ({ tokens: PLAYED_PROMPT_TOKENS, exact: true })));
    expect(engine.current()).toEqual({ running: 1, queued: 0 });
    running.abort();
    await running.usage;
  });

  it('nothing for a caller who left, and refuses what the server refuses in words of its own', async () => {
    playUpstream(bench.upstream, 'llama-server', 'text');
    const engine = await bench.loaded();
    const impatient = await bench.loaded({}, { countMs: 50 });
    const left = new AbortController();
    left.abort(new Error('left'));
    await expect(engine.count(ask('Hi'), left.signal)).rejects.toThrow('left');
    bench.upstream.posts.set('/v1/chat/completions/input_tokens', () => jsonAnswer(503, { error: { message: 'secret' } }));
    await expect(engine.count(ask('Hi'), never)).rejects.toMatchObject({ code: 'overloaded' });
    bench.upstream.posts.set('/v1/chat/completions/input_tokens', () => jsonAnswer(200, { input_tokens: 'x' }));
    await expect(engine.count(ask('Hi'), never)).rejects.toMatchObject({ code: 'engine_error' });
    bench.upstream.posts.set('/v1/chat/completions/input_tokens', () => ({ steps: [{ hang: true }] }));
    await expect(impatient.count(ask('Hi'), never)).rejects.toMatchObject({ code: 'timeout' });
    await engine.unload();
    await expect(engine.count(ask('Hi'), never)).rejects.toMatchObject({ code: 'server_shutting_down' });
  });
});
