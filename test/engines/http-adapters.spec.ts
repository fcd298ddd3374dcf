import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HttpEngine } from '@slipway/engine-http';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { AdapterEngine, type EngineFlavour } from '../adapters/adapter-engine.js';
import { untrainedAdapter, type UntrainedAdapter } from '../adapters/untrained-adapter.js';
import { ask, EngineRun, run, SETTINGS, until } from './engine-run.js';

const folder = mkdtempSync(join(tmpdir(), 'slipway-http-adapters-'));
const engines: AdapterEngine[] = [];
const loaded: HttpEngine[] = [];
afterEach(async () => {
  for (const engine of loaded.splice(0)) await engine.unload();
  for (const engine of engines.splice(0)) await engine.stop();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** An adapter that no training made, in a folder as the agent writes it. */
function anAdapter(id: number): UntrainedAdapter & { folder: string } {
  const made = untrainedAdapter(id);
  const path = join(folder, made.facts.sha256);
  mkdirSync(path, { recursive: true });
  for (const [name, content] of made.files) writeFileSync(join(path, name), content);
  writeFileSync(join(path, 'adapter_config.json'), JSON.stringify({ peft_type: 'LORA', r: 8, base_model_name_or_path: 'org/base' }));
  return { ...made, folder: path };
}

const hashOf = (id: number): string => untrainedAdapter(id).facts.sha256;

async function started(flavour: EngineFlavour): Promise<AdapterEngine> {
  const engine = await new AdapterEngine(flavour).start();
  engines.push(engine);
  return engine;
}

type Adapter = ReturnType<typeof anAdapter>;

/** An engine of this product that serves the adapter at the server; not loaded yet. */
function serving(server: AdapterEngine, { facts, folder: path }: Adapter, isLast = true): HttpEngine {
  const exported = { facts, folder: path, release: () => Promise.resolve(isLast) };
  const engine = new HttpEngine({ url: server.url, model: server.model }, { ...SETTINGS, exported });
  loaded.push(engine);
  return engine;
}

const load = (engine: HttpEngine) => engine.load(() => undefined, new AbortController().signal);
const answer = async (engine: HttpEngine): Promise<string> => (await run(engine, ask('Hi'))).text;
const outcome = (given: Promise<unknown>): Promise<unknown> =>
  given.then(
    () => 'served',
    (error: unknown) => error,
  );

describe.each<EngineFlavour>(['vllm', 'sglang'])('an adapter on %s', (flavour) => {
  it('is loaded under its hash, proven, served and unloaded', async () => {
    const server = await started(flavour);
    const [one, two] = [anAdapter(1), anAdapter(2)];
    for (const adapter of [one, two]) server.teach(adapter.weights, adapter);
    const [first, second] = [serving(server, one), serving(server, two)];
    const prints = [(await load(first)).fingerprint, (await load(second)).fingerprint];
    expect(new Set(prints).size).toBe(2);
    expect(server.loaded).toEqual([one.facts.sha256, two.facts.sha256]);
    expect([await answer(first), await answer(second)]).toEqual(['adapter 1 answers', 'adapter 2 answers']);
    expect(server.chats.every(({ model }) => String(model).includes(hashOf(1)) || String(model).includes(hashOf(2)))).toBe(true);
    await first.unload();
    expect(server.loaded).toEqual([two.facts.sha256]);
  });

  it('stays loaded while another worker uses it there', async () => {
    const server = await started(flavour);
    const one = anAdapter(1);
    server.teach(one.weights, one);
    const engine = serving(server, one, false);
    await load(engine);
    await engine.unload();
    expect(server.loaded).toEqual([one.facts.sha256]);
  });

  it('that is loaded twice is loaded once', async () => {
    const server = await started(flavour);
    const one = anAdapter(1);
    server.teach(one.weights, one);
    const [a, b] = [serving(server, one), serving(server, one)];
    await Promise.all([load(a), load(b)]);
    expect([await answer(a), await answer(b)]).toEqual(['adapter 1 answers', 'adapter 1 answers']);
  });

  it('is loaded and proven again after a restart, before any answer', async () => {
    const server = await started(flavour);
    const one = anAdapter(1);
    server.teach(one.weights, one);
    const engine = serving(server, one);
    await load(engine);
    for (const lose of [() => server.restart(), async () => server.forget(one.facts.sha256)]) {
      await lose();
      expect(await answer(engine)).toBe('adapter 1 answers');
      expect(server.loaded).toEqual([one.facts.sha256]);
    }
  });

  it('that comes back as the bare base is not served', async () => {
    const server = await started(flavour);
    const one = anAdapter(1);
    server.teach(one.weights, one);
    const engine = serving(server, one);
    await load(engine);
    await server.stop();
    expect(await outcome(answer(engine))).toMatchObject({ code: 'engine_error' });
    server.isBare = true;
    await server.start();
    expect(await outcome(answer(engine))).toMatchObject({ code: 'engine_error' });
    expect((await engine.lost).reason).toBe('witness_failed');
    expect(server.chats).toEqual([]);
  });

  it.each<[string, (server: AdapterEngine, one: Adapter) => void, string, RegExp]>([
    [
      'another adapter in its folder',
      (server, one) => server.teach(one.weights, anAdapter(2)),
      'witness_failed',
      /tokens of a stored answer/,
    ],
    ['an adapter whose names fit nothing', () => undefined, 'witness_failed', /tokens of a stored answer/],
    [
      'the bare base under its name',
      (server, one) => ((server.isBare = true), server.teach(one.weights, one)),
      'witness_failed',
      /otherwise/,
    ],
    ['another base below it', (server, one) => ((server.shift = -0.05), server.teach(one.weights, one)), 'witness_failed', /0\.05/],
    [
      'a rank above its own',
      (server, one) => ((server.maxRank = 4), server.teach(one.weights, one)),
      'adapter_mismatch',
      /--max-lora-rank/,
    ],
    ['adapters switched off', (server) => (server.isEnabled = false), 'engine_refused', /--enable-lora/],
  ])('never gets ready with %s', async (_, change, reason, words) => {
    const server = await started(flavour);
    const one = anAdapter(1);
    change(server, one);
    const fault = await outcome(load(serving(server, one)));
    expect(fault).toMatchObject({ reason, message: expect.stringMatching(words) });
  });

  it('that the engine cannot read is missing', async () => {
    const server = await started(flavour);
    const one = { ...anAdapter(1), folder: join(folder, 'elsewhere') };
    expect(await outcome(load(serving(server, one)))).toMatchObject({
      reason: 'adapter_missing',
      message: expect.stringContaining('ADAPTER_EXPORT_DIR'),
    });
  });

  it('that is loaded again holds up no request that is given up', async () => {
    const server = await started(flavour);
    const one = anAdapter(1);
    server.teach(one.weights, one);
    const engine = serving(server, one);
    await load(engine);
    const loads = (): number => server.calls.filter((call) => !call.includes('unload')).length;
    const before = loads();
    server.loading = new Promise(() => undefined);
    await server.restart();
    await fetch(`${server.url}/v1/models`);
    const given = new EngineRun(engine, ask('Hi'));
    await until('it is loaded again', () => loads() > before);
    given.abort();
    expect(await given.usage).toEqual({ prompt: 0, cached: 0, completion: 0 });
    expect(server.chats).toEqual([]);
  });

  it('whose load is given up is not ready', async () => {
    const server = await started(flavour);
    server.loading = new Promise(() => undefined);
    const stop = new AbortController();
    const loading = outcome(serving(server, anAdapter(1)).load(() => undefined, stop.signal));
    stop.abort(new Error('Enough.'));
    expect(await loading).toMatchObject({ message: 'Enough.' });
  });
});

it('SGLang that was restarted without adapters is not taken for one', async () => {
  const server = await started('sglang');
  const one = anAdapter(1);
  server.teach(one.weights, one);
  const engine = serving(server, one);
  await load(engine);
  server.isEnabled = false;
  await server.restart();
  // What the old process closed has arrived before the new one answers.
  await fetch(`${server.url}/v1/models`);
  expect(await outcome(answer(engine))).toMatchObject({ code: 'engine_error' });
  expect((await engine.lost).reason).toBe('engine_refused');
  expect(server.chats).toEqual([]);
});

describe('the plug-in of vLLM', () => {
  it('loads an adapter on first use, and after a restart', async () => {
    const server = await started('vllm');
    server.loads = false;
    server.resolves = folder;
    const one = anAdapter(1);
    server.teach(one.weights, one);
    const engine = serving(server, one);
    await load(engine);
    expect(await answer(engine)).toBe('adapter 1 answers');
    await server.restart();
    expect(await answer(engine)).toBe('adapter 1 answers');
  });

  it('is asked for where nothing else loads adapters', async () => {
    const server = await started('vllm');
    server.loads = false;
    const fault = await outcome(load(serving(server, anAdapter(1))));
    expect(fault).toMatchObject({ reason: 'engine_refused', message: expect.stringContaining('lora_filesystem_resolver') });
  });
});

describe('llama-server', () => {
  it('is asked for the adapter of its start list by its hash', async () => {
    const server = await started('llama-server');
    const [one, two] = [anAdapter(1), anAdapter(2)];
    const [a, b] = [server.teach(one.weights, one), server.teach(two.weights, two)];
    server.started = [
      { path: `/loras/${hashOf(2)}.gguf`, voice: b },
      { path: `/loras/${hashOf(1)}.gguf`, voice: a },
    ];
    const engine = serving(server, one);
    await load(engine);
    expect(await answer(engine)).toBe('adapter 1 answers');
    expect(server.chats[0]?.['lora']).toEqual([{ id: 1, scale: 1 }]);
    server.started = server.started.toReversed();
    await server.restart();
    expect(await answer(engine)).toBe('adapter 1 answers');
  });

  it('without it says how to start it', async () => {
    const server = await started('llama-server');
    const fault = await outcome(load(serving(server, anAdapter(1))));
    expect(fault).toMatchObject({ reason: 'adapter_missing', message: expect.stringContaining('--lora') });
  });

  it('with another file under the name never gets ready', async () => {
    const server = await started('llama-server');
    const [one, two] = [anAdapter(1), anAdapter(2)];
    server.teach(one.weights, one);
    server.started = [{ path: `/loras/${hashOf(1)}.gguf`, voice: server.teach(two.weights, two) }];
    expect(await outcome(load(serving(server, one)))).toMatchObject({ reason: 'witness_failed' });
  });
});
