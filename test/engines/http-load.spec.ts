import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { jsonAnswer, modelList, type PlayedServer, playUpstream, type UpstreamScript } from '@slipway/testing';
import { describe, expect, it } from 'vitest';
import type { EngineSettings } from '../../libs/engine/src/engine.js';
import type { HttpEngineLimits } from '../../libs/engine-http/src/http-engine.js';
import { ask, run } from './engine-run.js';
import { UpstreamBench } from './upstream-bench.js';

describe('an http engine is loaded', () => {
  const bench = new UpstreamBench();
  const never = new AbortController().signal;

  it('with the context that the upstream reports', async () => {
    const facts = async (settings: Partial<EngineSettings> = {}) => bench.engine(settings).load(() => undefined, never);
    expect(await facts()).toMatchObject({ context: null, slots: 4 });
    expect(await facts({ context: 77 })).toMatchObject({ context: 77 });
    bench.upstream.gets.set('/v1/models', modelList('scripted', { owned_by: 'vllm', max_model_len: 4_096 }));
    expect(await facts({ context: 77 })).toMatchObject({ context: 4_096 });
    bench.upstream.gets.set('/v1/models', modelList('other', { owned_by: 'llamacpp', meta: { n_ctx: 512 } }));
    expect(await facts()).toMatchObject({ context: 512 });
    bench.upstream.gets.set('/v1/models', modelList('other', { owned_by: 'llamacpp', meta: null }));
    bench.upstream.gets.set('/props', jsonAnswer(200, { default_generation_settings: { n_ctx: 256 } }));
    expect(await facts()).toMatchObject({ context: 256 });
  });

  describe('with what the server says that it lacks taken away, where it is', () => {
    const capsOf = async (server: PlayedServer, change: () => void, limits: Partial<HttpEngineLimits> = {}): Promise<readonly string[]> => {
      playUpstream(bench.upstream, server, 'text');
      change();
      return (await bench.engine({}, limits).load(() => undefined, never)).caps;
    };

    it('a vLLM that does not know structured_outputs yet', async () => {
      const caps = await capsOf('vllm', () => bench.upstream.gets.set('/version', jsonAnswer(200, { version: '0.10.2' })));
      for (const cap of ['regex', 'choice', 'grammar']) expect(caps).not.toContain(cap);
      expect(caps).toContain('json_schema');
    });

    it('a llama-server or an SGLang whose model sees no images', async () => {
      const props = { default_generation_settings: { n_ctx: 512 }, modalities: { vision: false } };
      expect(await capsOf('llama-server', () => bench.upstream.gets.set('/props', jsonAnswer(200, props)))).not.toContain('images');
      const info = jsonAnswer(200, { has_image_understanding: false });
      const older = (): void => {
        bench.upstream.gets.delete('/model_info');
        bench.upstream.gets.set('/get_model_info', info);
      };
      expect(await capsOf('sglang', () => bench.upstream.gets.set('/model_info', info))).not.toContain('images');
      expect(await capsOf('sglang', older)).not.toContain('images');
    });

    it('an Ollama whose model neither thinks nor sees, or reports neither', async () => {
      const show = (script: UpstreamScript) => () => void bench.upstream.posts.set('/api/show', () => script);
      const plain = await capsOf('ollama', show(jsonAnswer(200, { capabilities: ['completion'] })));
      for (const cap of ['images', 'reasoning', 'tools']) expect(plain).not.toContain(cap);
      const silent = await capsOf('ollama', show(jsonAnswer(404, {})));
      expect(silent).toContain('tools');
      for (const cap of ['images', 'reasoning']) expect(silent).not.toContain(cap);
    });

    it('an Ollama with a model of another source', async () => {
      const caps = await capsOf('ollama', () => bench.upstream.gets.set('/v1/models', modelList('scripted', { owned_by: 'hf.co' })));
      for (const cap of ['tool_choice', 'n', 'logit_bias']) expect(caps).not.toContain(cap);
    });

    it('a server that does not answer such questions in time', async () => {
      const hang = () => void bench.upstream.posts.set('/tokenize', () => ({ steps: [{ hang: true }] }));
      const caps = await capsOf('vllm', hang, { probeMs: 2_000 });
      expect(caps).not.toContain('exact_count');
      expect(caps).toContain('tools');
    });
  });

  it('with and without /v1 in its address', async () => {
    const engine = bench.engine({}, {}, `${bench.upstream.url}/v1/`);
    await engine.load(() => undefined, never);
    expect((await run(engine, ask('Hi'))).text).toBe('Hello there');
    const paths = bench.upstream.requests.map(({ path }) => path);
    expect([paths[0], paths.at(-1)]).toEqual(['/v1/models', '/v1/chat/completions']);
  });

  it.each([
    ['knows no list of models', jsonAnswer(404, {})],
    ['has a malformed list', jsonAnswer(200, { data: 'x' })],
    ['lists other models', modelList('another')],
  ])('when the upstream %s', async (_name, script) => {
    bench.upstream.gets.set('/v1/models', script);
    expect((await run(await bench.loaded(), ask('Hi'))).text).toBe('Hello there');
  });

  it.each([
    [401, 'engine_refused'],
    [403, 'engine_refused'],
    [500, 'engine_unreachable'],
    [503, 'engine_unreachable'],
    [302, 'engine_unreachable'],
  ])('never, when the upstream answers with status %i', async (status, reason) => {
    bench.upstream.gets.set('/v1/models', jsonAnswer(status, {}));
    await expect(bench.loaded({ credential: 'wrong' })).rejects.toMatchObject({
      name: 'EngineLoadError',
      reason,
      message: expect.not.stringContaining('wrong') as string,
    });
  });

  it('never without a listener or an answer', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const loadAt = (limits: Partial<HttpEngineLimits>) => bench.engine({}, limits, `http://127.0.0.1:${port}`).load(() => undefined, never);
    await expect(loadAt({ probeMs: 50 })).rejects.toMatchObject({ reason: 'engine_unreachable' });
    silent.close();
    await expect(loadAt({})).rejects.toMatchObject({ reason: 'engine_unreachable' });
  });

  it('and can be asked later whether it still answers', async () => {
    const engine = await bench.loaded();
    await expect(engine.check(never)).resolves.toBeUndefined();
    await bench.upstream.stop();
    await expect(engine.check(never)).rejects.toMatchObject({ reason: 'engine_unreachable' });
  });

  it('and asks a server once for all engines that have the same address and credential', async () => {
    const asked = (): number => bench.upstream.requests.filter(({ path }) => path === '/v1/models').length;
    const engines = await Promise.all(Array.from({ length: 5 }, () => bench.loaded({ credential: 'a' })));
    const other = await bench.loaded({ credential: 'b' });
    const before = asked();
    await Promise.all(engines.map((engine) => engine.check(never)));
    expect(asked() - before).toBe(1);
    await other.check(never);
    expect(asked() - before).toBe(2);
    // An engine takes no answer twice: each of its checks is a question of its own.
    await engines[0]?.check(never);
    await engines[1]?.check(never);
    expect(asked() - before).toBe(3);
    // What one of them still needs outlives the others.
    await Promise.all(engines.slice(1).map((engine) => engine.unload()));
    await engines[0]?.check(never);
    expect(asked() - before).toBe(4);
  });

  it('and lets a caller leave a check whose answer others still wait for', async () => {
    const [first, second] = [await bench.loaded(), await bench.loaded()];
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    bench.upstream.gets.set('/v1/models', { steps: [{ until: held }, { write: '{}' }] });
    const leaving = new AbortController();
    const left = first.check(leaving.signal);
    const stayed = second.check(never);
    leaving.abort(new Error('changed my mind'));
    await expect(left).rejects.toThrow('changed my mind');
    release();
    await expect(stayed).resolves.toBeUndefined();
  });

  it('and takes an endless list in tiny pieces as an answer, of which it reads a bounded part', async () => {
    const engine = await bench.loaded();
    bench.upstream.gets.set('/v1/models', { steps: [...Array.from({ length: 3_000 }, () => ({ write: ' ' })), { hang: true }] });
    await expect(engine.check(never)).resolves.toBeUndefined();
    await expect(bench.loaded()).resolves.toBeDefined();
  });

  it('and ends at once after an abort', async () => {
    const controller = new AbortController();
    controller.abort(new Error('changed my mind'));
    await expect(bench.engine().load(() => undefined, controller.signal)).rejects.toThrow('changed my mind');
  });
});
