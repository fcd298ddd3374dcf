import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { jsonAnswer, modelList } from '@slipway/testing';
import { describe, expect, it } from 'vitest';
import type { EngineSettings } from '../../apps/inference-worker/src/engines/engine.js';
import type { HttpEngineLimits } from '../../apps/inference-worker/src/engines/http/http-engine.js';
import { ask, run } from './engine-run.js';
import { UpstreamBench } from './upstream-bench.js';

describe('an http engine is loaded', () => {
  const bench = new UpstreamBench();
  const never = new AbortController().signal;

  it('with the context that the upstream tells', async () => {
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

  it('with and without /v1 in its address', async () => {
    const engine = bench.engine({}, {}, `${bench.upstream.url}/v1/`);
    await engine.load(() => undefined, never);
    expect((await run(engine, ask('Hi'))).text).toBe('Hello there');
    const paths = bench.upstream.requests.map(({ path }) => path);
    expect([paths[0], paths.at(-1)]).toEqual(['/v1/models', '/v1/chat/completions']);
  });

  it.each([
    ['knows no list of models', jsonAnswer(404, {})],
    ['has a list that nobody can read', jsonAnswer(200, { data: 'x' })],
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

  it('never, when nobody listens, or nobody answers', async () => {
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

  it('and gives up at once when told to', async () => {
    const controller = new AbortController();
    controller.abort(new Error('changed my mind'));
    await expect(bench.engine().load(() => undefined, controller.signal)).rejects.toThrow('changed my mind');
  });
});
