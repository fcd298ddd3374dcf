import type { CanonicalRequest, StreamEvent } from '@slipway/contracts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { HttpEngine } from '../../../libs/engine-http/src/http-engine.js';
import type { EngineFacts } from '../../../libs/engine/src/engine.js';
import { EngineRun, SETTINGS, ask, message, run, until } from '../engine-run.js';
import { BUILD_MS, buildLlamaServer, canBuild, LlamaServer } from './llama-server.js';

const TOOLS: CanonicalRequest['tools'] = [
  {
    name: 'get_weather',
    description: 'Weather of a city.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
  { name: 'get_time', parameters: { type: 'object', properties: { zone: { type: 'string' } }, required: ['zone'] } },
];
const WEATHER = ask('What is the weather in Paris?', { tools: TOOLS });
const never = new AbortController().signal;

describe.skipIf(!canBuild())('the http engine before a real llama-server', () => {
  let server: LlamaServer;
  let engine: HttpEngine;
  let facts: EngineFacts;

  beforeAll(async () => {
    await buildLlamaServer();
    server = await LlamaServer.start();
    engine = new HttpEngine({ url: server.url, model: 'demo' }, SETTINGS);
    facts = await engine.load(() => undefined, never);
  }, BUILD_MS);
  afterAll(async () => {
    await engine?.unload();
    await server?.kill();
  });
  afterEach(() => {
    expect(engine.current()).toEqual({ running: 0, queued: 0 });
  });

  it('knows it, its context and that the model takes no images', () => {
    expect(facts.context).toBe(1_024);
    expect(facts.caps).toEqual(expect.arrayContaining(['tools', 'tool_choice', 'grammar', 'exact_count', 'exact_usage']));
    for (const cap of ['images', 'regex', 'min_tokens']) expect(facts.caps).not.toContain(cap);
  });

  it('relays an answer with exact figures, known from its start on', async () => {
    const answer = await run(engine, ask('Who are you?'));
    expect(answer.text).toMatch(/tiny demo model/);
    expect(answer.fin).toEqual({ k: 'fin', r: 'stop' });
    const usage = await answer.usage;
    expect(usage).not.toHaveProperty('estimated');
    expect(usage.completion).toBeGreaterThan(5);
    expect(answer.events[0]).toMatchObject({ k: 'start', prompt: usage.prompt });
    expect((await (await run(engine, ask('Who are you?'))).usage).cached).toBeGreaterThan(0);
  });

  it.each([
    ['plain', ask('Who are you?')],
    [
      'with a system prompt and history',
      ask('', {
        messages: [message('system', 'Be brief.'), message('user', 'Hi'), message('assistant', 'Hello.'), message('user', 'Why?')],
      }),
    ],
    ['with tools', WEATHER],
  ])('counts a prompt %s as generation does', async (_name, request) => {
    const counted = await engine.count(request, never);
    const { prompt } = await (await run(engine, { ...request, max_tokens: 2 })).usage;
    expect(counted).toEqual({ tokens: prompt, exact: true });
  });

  it.each([['required' as const], [{ name: 'get_weather' }]])(
    'gets a whole call for the choice %j, and the loop closes',
    async (choice) => {
      const tools = choice === 'required' ? TOOLS.slice(0, 1) : TOOLS;
      const called = await run(engine, { ...WEATHER, tools, tool_choice: choice });
      expect(called.calls).toEqual([{ id: expect.stringMatching(/./) as string, name: 'get_weather', args: expect.any(String) as string }]);
      expect(called.fin).toEqual({ k: 'fin', r: 'tool_calls' });
      const [call] = called.calls;
      expect(JSON.parse(call!.args)).toEqual({ city: 'Paris' });
      const history: CanonicalRequest['messages'] = [
        ...WEATHER.messages,
        { role: 'assistant', content: [], tool_calls: [{ id: call!.id, name: call!.name, arguments: call!.args }] },
        { role: 'tool', content: [{ type: 'text', text: '{"temperature": 18}' }], tool_call_id: call!.id },
      ];
      expect((await run(engine, { ...WEATHER, messages: history })).text).toContain('18');
    },
  );

  it('holds an answer to a schema, to a choice and to a grammar', async () => {
    const schema = { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'], additionalProperties: false };
    const json = await run(engine, ask('Who are you?', { output: { kind: 'json_schema', schema } }));
    expect(typeof (JSON.parse(json.text) as { ok: unknown }).ok).toBe('boolean');
    const options = ['"yes"', 'no\nway'];
    expect(options).toContain((await run(engine, ask('Who are you?', { output: { kind: 'choice', options } }))).text);
    expect((await run(engine, ask('Hi', { output: { kind: 'grammar', grammar: 'root ::= "a" "b"' } }))).text).toBe('ab');
    await expect(run(engine, ask('Hi', { output: { kind: 'grammar', grammar: 'root ::= nothing(' } }))).rejects.toMatchObject({
      code: 'invalid_value',
      param: 'structured_outputs',
    });
  });

  it('relays two choices and the tokens of both', async () => {
    const answer = await run(engine, ask('Who are you?', { n: 2, max_tokens: 3, sampling: { temperature: 0 } }));
    expect(answer.textOf(0)).toBe(answer.textOf(1));
    expect(await answer.usage).toMatchObject({ completion: 6 });
    expect(await answer.usage).not.toHaveProperty('estimated');
    await expect(run(engine, ask('Hi', { n: 100 }))).rejects.toMatchObject({ code: 'invalid_value', param: 'n' });
  });

  it('relays probabilities of every token, with the alternatives that were asked for', async () => {
    for (const alternatives of [0, 2]) {
      const answer = await run(engine, ask('Who are you?', { logprobs: alternatives, max_tokens: 4 }));
      const tokens = answer.events.flatMap((event) => (event.k === 'text' ? (event.lp ?? []) : []));
      expect(tokens.map(({ t }) => t).join('')).toBe(answer.text);
      expect(tokens.map(({ top }) => top?.length ?? 0)).toEqual(tokens.map(() => alternatives));
      for (const { p } of tokens) expect(p).toBeLessThanOrEqual(0);
    }
    await expect(run(engine, { ...WEATHER, logprobs: 1 })).rejects.toMatchObject({ code: 'unsupported_parameter', param: 'logprobs' });
  });

  it('names the stop string, which the server does not, and stops it there with exact figures', async () => {
    const answer = await run(engine, ask('Who are you?', { stop: ['demo', 'nothing'] }));
    expect(answer.fin).toEqual({ k: 'fin', r: 'stop_sequence', stop: 'demo' });
    expect(answer.text).toBe('I am the tiny ');
    expect(await answer.usage).not.toHaveProperty('estimated');
  });

  it('goes on with a message without repeating it', async () => {
    const messages = [message('user', 'Who are you?'), message('assistant', 'I am the')];
    const answer = await run(engine, ask('', { messages, continue_final: true }));
    expect(answer.text).toMatch(/^ tiny demo model/);
  });

  it('reports the length of a prompt that does not fit, and lowers limits', async () => {
    await expect(run(engine, ask('word '.repeat(2_000)))).rejects.toMatchObject({
      code: 'context_length_exceeded',
      facts: { context: 1_024, tokens: expect.any(Number) as number },
    });
    expect((await run(engine, ask('Who are you?', { max_tokens: 100_000 }))).fin).toEqual({ k: 'fin', r: 'stop' });
  });

  it('keeps samplers in force under the names that the server knows', async () => {
    const sampling = { temperature: 2, top_k: 1, repetition_penalty: 1, seed: 7, min_p: 0, logit_bias: {} };
    expect((await run(engine, ask('Who are you?', { sampling }))).text).toMatch(/tiny demo model/);
    const banned = await run(engine, ask('Who are you?', { sampling: { temperature: 0, logit_bias: { '73': -100 } } }));
    expect(banned.text.startsWith('I')).toBe(false);
  });

  it('stops the server when its caller leaves, with what was counted by then', async () => {
    const answer = new EngineRun(engine, ask('Hi', { max_tokens: 900, sampling: { temperature: 1, ignore_eos: true } }));
    await until('the answer has begun', () => answer.text !== '', 30_000);
    answer.abort();
    const usage = await answer.usage;
    expect(usage).not.toHaveProperty('estimated');
    const deadline = performance.now() + 20_000;
    while ((await server.busy()) > 0) expect(performance.now()).toBeLessThan(deadline);
  });

  it('fails the answer of a server that dies', async () => {
    const doomed = await LlamaServer.start();
    const other = new HttpEngine({ url: doomed.url, model: 'demo' }, SETTINGS);
    try {
      await other.load(() => undefined, never);
      const events: StreamEvent[] = [];
      const output = {
        account: null,
        phase: () => undefined,
        events: (batch: readonly StreamEvent[]): void => {
          events.push(...batch);
          void doomed.kill();
        },
      };
      const endless = ask('Hi', { max_tokens: 900, sampling: { temperature: 1, ignore_eos: true } });
      await expect(other.generate(endless, output, never)).rejects.toMatchObject({ code: 'engine_error' });
      expect(events.map(({ k }) => k)).toContain('text');
      expect(events.map(({ k }) => k)).not.toContain('fin');
    } finally {
      await other.unload();
      await doomed.kill();
    }
  });
});
