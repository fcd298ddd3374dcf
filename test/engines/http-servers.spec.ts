import type { CanonicalRequest } from '@slipway/contracts';
import {
  PLAYED_CONTEXT,
  PLAYED_PROMPT_TOKENS,
  type PlayedBehaviour,
  type PlayedLines,
  type PlayedServer,
  playUpstream,
} from '@slipway/testing';
import { describe, expect, it } from 'vitest';
import type { HttpEngine, HttpEngineLimits } from '../../libs/engine-http/src/http-engine.js';
import { EngineRun, ask, message, run, until } from './engine-run.js';
import { UpstreamBench } from './upstream-bench.js';

const SERVERS = ['vllm', 'sglang', 'llama-server', 'ollama'] as const;
const TOOLS: CanonicalRequest['tools'] = [
  { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
];

/** Loads an engine before a server of this kind. */
type Playing = (behaviour: PlayedBehaviour, lines?: PlayedLines, limits?: Partial<HttpEngineLimits>) => Promise<HttpEngine>;

const playingIn =
  (bench: UpstreamBench, server: PlayedServer): Playing =>
  (behaviour, lines = {}, limits = {}) => {
    playUpstream(bench.upstream, server, behaviour, lines);
    return bench.loaded({}, limits);
  };

describe.each(SERVERS)('the http engine before %s', (server: PlayedServer) => {
  const bench = new UpstreamBench();
  const playing = playingIn(bench, server);

  it('knows the server, its context and what it can do', async () => {
    playUpstream(bench.upstream, server, 'text');
    const facts = await bench.engine().load(() => undefined, new AbortController().signal);
    const known = {
      vllm: {
        context: PLAYED_CONTEXT,
        can: ['tool_choice', 'regex', 'n', 'min_tokens', 'images', 'exact_count'],
        cannot: ['cached_tokens'],
      },
      sglang: { context: PLAYED_CONTEXT, can: ['tool_choice', 'grammar', 'n', 'stop_token_ids', 'images', 'exact_count'], cannot: [] },
      'llama-server': {
        context: PLAYED_CONTEXT,
        can: ['grammar', 'continue_final', 'images', 'exact_count'],
        cannot: ['regex', 'min_tokens'],
      },
      ollama: { context: null, can: ['tools', 'images', 'reasoning'], cannot: ['tool_choice', 'n', 'logit_bias', 'top_k', 'exact_count'] },
    }[server];
    expect(facts.context).toBe(known.context);
    expect(facts.caps).toEqual(expect.arrayContaining(known.can));
    for (const cap of known.cannot) expect(facts.caps).not.toContain(cap);
  });

  it('relays text with the server’s own figures', async () => {
    const answer = await run(await playing('text', { completion: 9 }), ask('Hi'));
    expect(answer.text).toBe('The weather is fine.');
    expect(answer.fin).toEqual({ k: 'fin', r: 'stop' });
    expect(await answer.usage).toEqual({ prompt: PLAYED_PROMPT_TOKENS, cached: 0, completion: 9 });
  });

  it('reports the prompt’s tokens at the start where the server does', async () => {
    const { events } = await run(await playing('text', { cached: 5 }), ask('Hi'));
    const estimate = { k: 'start', prompt: expect.any(Number) as number };
    expect(events[0]).toEqual(server === 'ollama' ? estimate : { k: 'start', prompt: PLAYED_PROMPT_TOKENS, cached: 5 });
  });

  it('relays reasoning apart from the answer', async () => {
    const answer = await run(await playing('reasoning'), ask('Hi'));
    expect([answer.thoughts, answer.text]).toEqual(['Let me think.', 'The weather is fine.']);
  });

  it('relays calls with the ids of the server, and says that they ended the answer', async () => {
    const calls = [
      { id: 'x1', name: 'get_weather', arguments: '{"city":"Paris"}' },
      { id: 'x2', name: 'get_weather', arguments: '{"city":"Rome"}' },
    ];
    const answer = await run(await playing('calls', { calls, text: ['Well. '] }), ask('Hi', { tools: TOOLS }));
    expect(answer.calls).toEqual([
      { id: 'x1', name: 'get_weather', args: '{"city":"Paris"}' },
      { id: 'x2', name: 'get_weather', args: '{"city":"Rome"}' },
    ]);
    expect([answer.text, answer.fin]).toEqual(['Well. ', { k: 'fin', r: 'tool_calls' }]);
  });

  it('hands on one call where only one was wanted, whatever the server makes', async () => {
    const calls = ['Paris', 'Rome'].map((city) => ({ name: 'get_weather', arguments: `{"city":"${city}"}` }));
    const answer = await run(await playing('calls', { calls }), ask('Hi', { tools: TOOLS, parallel_tool_calls: false }));
    expect(answer.calls.map(({ args }) => args)).toEqual(['{"city":"Paris"}']);
  });

  it('relays probabilities', async () => {
    const { events } = await run(await playing('logprobs', { text: ['Hi', ' é'] }), ask('Hi', { logprobs: 1 }));
    expect(events.flatMap((event) => (event.k === 'text' ? (event.lp ?? []) : []))).toEqual([
      { t: 'Hi', p: -0.25, top: [{ t: 'Hi', p: -0.25 }] },
      { t: ' é', p: -0.25, top: [{ t: ' é', p: -0.25 }] },
    ]);
  });

  it('names the stop string that ended an answer, by the server’s word or by its own eyes', async () => {
    const reportsStop = server === 'vllm' || server === 'sglang';
    const engine = await playing('text', reportsStop ? { text: ['one '], stop: 'END' } : { text: ['one ', 'EN', 'D two'] });
    const answer = await run(engine, ask('Hi', { stop: ['END', 'x'] }));
    expect([answer.text, answer.fin]).toEqual(['one ', { k: 'fin', r: 'stop_sequence', stop: 'END' }]);
    expect(bench.upstream.chats[0]).toEqual(
      reportsStop ? expect.objectContaining({ stop: ['END', 'x'] }) : expect.not.objectContaining({ stop: ['END', 'x'] }),
    );
    await until('the upstream is let go', () => bench.upstream.live === 0);
  });

  it('ends an answer that was cut at its limit as such', async () => {
    expect((await run(await playing('length'), ask('Hi'))).fin).toEqual({ k: 'fin', r: 'length' });
  });

  it.each<PlayedBehaviour>(['no finish', 'cut', 'abort', 'error in mid-stream'])(
    'fails a stream that breaks by "%s", and never ends it',
    async (behaviour) => {
      const engine = await playing(behaviour);
      const answer = new EngineRun(engine, ask('Hi'));
      await expect(answer.usage).rejects.toMatchObject({ code: 'engine_error', message: expect.not.stringContaining('secret') as string });
      expect(answer.fin).toBeUndefined();
      // What a broken connection still brought depends on when it is looked at.
      if (behaviour !== 'cut') expect(answer.text).toBe('The weather ');
      expect(engine.current()).toEqual({ running: 0, queued: 0 });
    },
  );

  it('fails a call whose arguments are broken at the end, and repairs nothing', async () => {
    const answer = new EngineRun(await playing('broken arguments'), ask('Hi', { tools: TOOLS }));
    await expect(answer.usage).rejects.toMatchObject({ code: 'engine_error' });
    expect(answer.fin).toBeUndefined();
    expect(answer.calls.map(({ args }) => args)).toEqual(['{"city":"Paris']);
  });

  it('closes a silent stream when its caller leaves', async () => {
    const answer = new EngineRun(await playing('silence'), ask('Hi'));
    await until('the answer has begun', () => answer.events.length > 0);
    answer.abort();
    await answer.usage;
    await until('the stream is closed', () => bench.upstream.live === 0);
  });

  it.each<[PlayedBehaviour, Record<string, unknown>]>([
    ['context overflow', { code: 'context_length_exceeded', param: 'messages' }],
    ['overloaded', { code: 'overloaded', retryAfterS: 1 }],
    ['wrong credential', { code: 'engine_error' }],
    ['failure', { code: 'engine_error' }],
  ])('answers "%s" in the words of the public contract', async (behaviour, expected) => {
    const refused = await run(await playing(behaviour), ask('Hi')).catch((error: unknown) => error);
    expect(refused).toMatchObject(expected);
    expect((refused as Error).message).not.toContain('secret');
    if (behaviour === 'context overflow' && server !== 'ollama') {
      expect(refused).toMatchObject({ facts: { tokens: 5_000, context: PLAYED_CONTEXT } });
    }
  });

  it('answers a complaint about bad input as one, whatever its status', async () => {
    const expected = {
      vllm: { code: 'invalid_value', param: 'temperature' },
      sglang: { code: 'invalid_value' },
      'llama-server': { code: 'unsupported_content', param: 'messages' },
      ollama: { code: 'unsupported_parameter', param: 'tools' },
    }[server];
    await expect(run(await playing('bad input'), ask('Hi'))).rejects.toMatchObject(expected);
  });
});

/** Ollama makes one choice of an answer and begins every answer anew, whatever it is asked. */
const ABLE = SERVERS.filter((server) => server !== 'ollama');

describe.each(ABLE)('the http engine before %s, which Ollama could not do', (server) => {
  const bench = new UpstreamBench();
  const playing = playingIn(bench, server);

  it('relays two choices, each with its end', async () => {
    const answer = await run(await playing('two choices'), ask('Hi', { n: 2 }));
    expect([answer.textOf(0), answer.textOf(1)]).toEqual(['The weather is fine.', 'THE WEATHER IS FINE.']);
    expect(answer.events.filter(({ k }) => k === 'fin')).toHaveLength(2);
    expect(await answer.usage).toMatchObject({ prompt: PLAYED_PROMPT_TOKENS, completion: 8 });
    expect(await answer.usage).not.toHaveProperty('estimated');
  });

  it('goes on with a message without repeating it', async () => {
    const messages = [message('user', 'Who?'), message('assistant', 'I am')];
    const answer = await run(await playing('text', { text: [' the', ' one'] }), ask('', { messages, continue_final: true }));
    expect(answer.text).toBe(' the one');
  });
});

describe('the http engine before ollama', () => {
  const bench = new UpstreamBench();

  it('asks for nothing that the server would ignore', async () => {
    const engine = await playingIn(bench, 'ollama')('text');
    const begun = [message('user', 'Who?'), message('assistant', 'I am')];
    for (const [request, param] of [
      [ask('Hi', { n: 2 }), 'n'],
      [ask('Hi', { tools: TOOLS, tool_choice: 'required' }), 'tool_choice'],
      [ask('', { messages: begun, continue_final: true }), 'continue_final_message'],
    ] as const) {
      await expect(run(engine, request)).rejects.toMatchObject({ param });
    }
    expect(bench.upstream.chats).toEqual([]);
    expect(engine.current()).toEqual({ running: 0, queued: 0 });
  });
});
