import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { StreamEvent } from '@slipway/contracts';
import { createLogger } from '@slipway/platform';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LlamaServerEngine } from '../../libs/engine-http/src/llama-server/engine.js';
import type { EngineSettings } from '../../libs/engine/src/engine.js';
import { isAlive } from '../testing/is-alive.js';
import { ask, EngineRun, run, SETTINGS, until } from './engine-run.js';
import { writeTinyEmbedder } from './tiny-embedder.js';

const FAKE = fileURLToPath(new URL('fake-llama-server.mjs', import.meta.url));
const never = new AbortController().signal;

/** What the fake wrote down of its start. */
interface Notes {
  readonly pid: number;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

let folder: string;
let engine: LlamaServerEngine | undefined;
let lines: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-test-'));
  lines = [];
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await engine?.unload();
  engine = undefined;
  rmSync(folder, { recursive: true, force: true });
});

/** An engine whose server commits this fault. */
function made(fault: string | null = null, settings: Partial<EngineSettings> = {}, options = {}): LlamaServerEngine {
  const path = join(folder, 'model.gguf');
  writeFileSync(path, JSON.stringify({ fault, notes: join(folder, 'notes.json') }));
  const log = createLogger('test', 'debug', (line) => lines.push(line));
  const program = { path: FAKE, args: ['--threads', '99', '--metrics'] };
  engine = new LlamaServerEngine({ path, options }, { ...SETTINGS, slots: 2, context: 512, log, program, ...settings });
  return engine;
}

const load = (of: LlamaServerEngine) => of.load(() => undefined, never);
const notes = (): Notes => JSON.parse(readFileSync(join(folder, 'notes.json'), 'utf8')) as Notes;
const socketOf = ({ args }: Notes): string => args[args.indexOf('--host') + 1]!;

describe('a llama-server that a worker runs', () => {
  it('makes embeddings of a model that is made for them', async () => {
    const path = join(folder, 'embedder.gguf');
    await writeTinyEmbedder(path);
    engine = new LlamaServerEngine({ path, options: {} }, { ...SETTINGS, slots: 1, context: 512, program: { path: FAKE, args: [] } });
    expect((await load(engine)).caps).toEqual(['embed', 'exact_usage', 'dimensions:2']);
    const vectors: string[] = [];
    const events = (batch: readonly StreamEvent[]): void => {
      for (const event of batch) if (event.k === 'vec') vectors[event.i] = event.x;
    };
    await engine.embed(ask('Hello'), { account: null, phase: () => undefined, events }, never);
    expect(vectors.length).toBe(1);
    await expect(run(engine, ask('Hello'))).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('answers with the context of one slot', async () => {
    const facts = await load(made());
    expect(facts).toMatchObject({ context: 512, slots: 2, fingerprint: expect.stringMatching(/^llama-[0-9a-f]{16}$/) as string });
    expect(facts.caps).toEqual(expect.arrayContaining(['tools', 'grammar', 'exact_count']));
    expect((await run(engine!, ask('Hi', { max_tokens: 3 }))).text).toBe('w0 w1 w2 ');
    expect(await engine!.count(ask('Hi'), never, null)).toEqual({ tokens: 3, exact: true });
    await engine!.check(never);
  });

  it('gets its key in the environment alone', async () => {
    await load(made());
    const { args, environment } = notes();
    expect(environment['LLAMA_API_KEY']).toMatch(/^[\w-]{43}$/);
    expect(args.join(' ')).not.toContain(environment['LLAMA_API_KEY']);
    expect(lines.join('\n')).not.toContain(environment['LLAMA_API_KEY']);
  });

  it('lets the deployment win over the operator’s arguments', async () => {
    await load(made(null, { threads: 3, gpu: true }, { gpu_layers: '12', flash_attention: 'on', cache_type: 'q8_0' }));
    const { args } = notes();
    expect(args.slice(0, 3)).toEqual(['--threads', '99', '--metrics']);
    expect(args.slice(args.lastIndexOf('--threads')).slice(0, 2)).toEqual(['--threads', '3']);
    expect(args.join(' ')).toContain('--n-gpu-layers 12 --flash-attn on --cache-type-k q8_0 --cache-type-v q8_0');
  });

  it('ends with its engine and leaves nothing', async () => {
    await load(made());
    const started = notes();
    await engine!.unload();
    await engine!.unload();
    expect([isAlive(started.pid), existsSync(dirname(socketOf(started)))]).toEqual([false, false]);
    await expect(run(engine!, ask('Hi'))).rejects.toMatchObject({ code: 'server_shutting_down' });
  });

  it('ends by force where it ignores SIGTERM', async () => {
    await load(made('stubborn'));
    await engine!.unload();
    expect(isAlive(notes().pid)).toBe(false);
  });

  it('ends when loading is given up', async () => {
    const controller = new AbortController();
    const loading = made().load(() => undefined, controller.signal);
    loading.catch(() => undefined);
    await until('it has started', () => existsSync(join(folder, 'notes.json')));
    controller.abort(new Error('given up'));
    await expect(loading).rejects.toThrow('given up');
    expect(isAlive(notes().pid)).toBe(false);
  });
});

describe('a llama-server that fails', () => {
  it.each([
    ['invalid', 'model_invalid', /damaged/],
    ['memory', 'out_of_memory', /too little memory/],
    ['argument', 'engine_refused', /arguments/],
    ['unknown', 'engine_crashed', /ended while it loaded the model: code 1/],
    ['killed while loading', 'engine_crashed', /ended while it loaded the model: SIGKILL/],
  ])('reports "%s" as %s', async (fault, reason, message) => {
    await expect(load(made(fault))).rejects.toMatchObject({ name: 'EngineLoadError', reason, message: expect.stringMatching(message) });
    expect(isAlive(notes().pid)).toBe(false);
    expect(readdirSync(tmpdir()).map((name) => join(tmpdir(), name))).not.toContain(dirname(socketOf(notes())));
  });

  it('reports a binary that cannot be started', async () => {
    const absent = made(null, { program: { path: join(folder, 'absent'), args: [] } });
    await expect(load(absent)).rejects.toMatchObject({ reason: 'engine_crashed', message: expect.stringContaining('ENOENT') as string });
  });

  it.each<[string, Partial<EngineSettings>, object, string]>([
    ['no binary', { program: undefined }, {}, 'engine_refused'],
    ['an option that is no number', { gpu: true }, { gpu_layers: '1 --port 80' }, 'engine_refused'],
    ['an option that is a list', {}, { cache_type: ['f16'] }, 'engine_refused'],
  ])('refuses %s before it starts anything', async (_, settings, options, reason) => {
    vi.stubEnv('TMPDIR', folder);
    await expect(load(made(null, settings, options))).rejects.toMatchObject({ reason });
    expect(readdirSync(folder)).toEqual(['model.gguf']);
  });

  it('reports a model file that is missing', async () => {
    made();
    rmSync(join(folder, 'model.gguf'));
    await expect(load(engine!)).rejects.toMatchObject({ reason: 'model_missing' });
  });

  it('fails the stream in which it crashes', async () => {
    await load(made('crash'));
    const answer = new EngineRun(engine!, ask('a secret prompt'));
    await expect(answer.usage).rejects.toMatchObject({ code: 'engine_error' });
    expect(answer.text).toContain('w2');
    expect(await engine!.lost).toMatchObject({ reason: 'engine_crashed', message: 'llama-server ended: SIGSEGV.' });
    await until('its end is logged', () => lines.some((line) => line.includes('llama_server.ended')));
    expect(lines.join('\n')).toContain('GGML_ASSERT');
    expect(lines.join('\n')).not.toContain('secret');
  });

  it('fails its check while it is silent', async () => {
    await load(made('silence'));
    const answer = new EngineRun(engine!, ask('Hi'));
    await until('it answers', () => answer.text.includes('w3'));
    await expect(engine!.check(AbortSignal.timeout(20_000))).rejects.toMatchObject({ reason: 'engine_crashed' });
    await engine!.unload();
    await expect(answer.usage).rejects.toMatchObject({ code: 'server_shutting_down' });
    expect(isAlive(notes().pid)).toBe(false);
  });
});
