import { copyFile, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EngineSettings } from '../../../libs/engine/src/engine.js';
import { LlamaEngine } from '../../../libs/engine-llama/src/llama-engine.js';
import { DEMO_MODEL, demoEngine } from '../demo-engine.js';
import { SETTINGS, ask, run } from '../engine-run.js';

describe('a model file', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'slipway-model-'));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  /** The first bytes of the demo model. */
  async function truncated(bytes: number): Promise<string> {
    const path = join(folder, `first-${bytes}.gguf`);
    await copyFile(DEMO_MODEL, path);
    const file = await open(path, 'r+');
    await file.truncate(bytes);
    await file.close();
    return path;
  }

  /** The demo model with some of its text exchanged for other text, no longer than the first. */
  async function altered(from: string, to: string): Promise<string> {
    const bytes = await readFile(DEMO_MODEL);
    const at = bytes.indexOf(from);
    if (at < 0) throw new Error(`The demo model holds no ${from}.`);
    bytes.write(to.padEnd(from.length), at, 'latin1');
    const path = join(folder, 'altered.gguf');
    await writeFile(path, bytes);
    return path;
  }

  const loadError = (path: string, settings: Partial<EngineSettings> = {}): Promise<unknown> =>
    new LlamaEngine(path, { ...SETTINGS, ...settings })
      .load(() => undefined, new AbortController().signal)
      .catch((error: unknown) => error);

  it('that is missing, or a folder, is named so', async () => {
    expect(await loadError(join(folder, 'none.gguf'))).toMatchObject({ name: 'EngineLoadError', reason: 'model_missing' });
    expect(await loadError(folder)).toMatchObject({ name: 'EngineLoadError', reason: 'model_invalid' });
  });

  it('that is no model, or half of one, is invalid and takes nothing down', async () => {
    const garbage = join(folder, 'garbage.gguf');
    await writeFile(garbage, 'garbage '.repeat(100));
    for (const path of [garbage, await truncated(0), await truncated(100), await truncated(10_000), await truncated(1_000_000)]) {
      expect(await loadError(path)).toMatchObject({ name: 'EngineLoadError', reason: 'model_invalid' });
    }
    const engine = await demoEngine();
    expect((await run(engine, ask('Hello'))).text).toMatch(/hello/i);
    await engine.unload();
  });

  it('without a chat template is asked in ChatML', async () => {
    const engine = new LlamaEngine(await altered('tokenizer.chat_template', 'tokenizer.chat_templatX'), SETTINGS);
    await engine.load(() => undefined, new AbortController().signal);
    const answer = await run(engine, ask('Hello'));
    expect(answer.text).toMatch(/hello/i);
    expect(answer.text).not.toContain('<|im_end|>');
    await engine.unload();
  });

  it('with a chat template that cannot be read, or that refuses every conversation, is invalid', async () => {
    const unreadable = await altered('{%- if tools %}', '{%- if tools  }');
    expect(await loadError(unreadable)).toMatchObject({ name: 'EngineLoadError', reason: 'model_invalid' });
    const turn = "{{- '<|im_start|>' + message.role + '\\n' + message.content";
    const refusing = await altered(turn, "{{- raise_exception('nobody')");
    expect(await loadError(refusing)).toMatchObject({ reason: 'model_invalid', message: expect.stringContaining('nobody') as string });
  });

  it('whose slots do not fit into memory is refused instead of being served with less', async () => {
    expect(await loadError(DEMO_MODEL, { slots: 1_000_000 })).toMatchObject({ name: 'EngineLoadError', reason: 'out_of_memory' });
  });

  it('can be given up while it loads', async () => {
    const engine = new LlamaEngine(DEMO_MODEL, SETTINGS);
    const controller = new AbortController();
    const loading = engine.load(() => controller.abort(new Error('changed my mind')), controller.signal);
    await expect(loading).rejects.toThrow('changed my mind');
    expect(engine.current()).toEqual({ running: 0, queued: 0 });
  });

  it('can be unloaded while it loads, and leaves nothing behind', async () => {
    const engine = new LlamaEngine(DEMO_MODEL, SETTINGS);
    const loading = engine.load(() => undefined, new AbortController().signal).catch((error: unknown) => error);
    await engine.unload();
    expect(await loading).toMatchObject({ name: 'EngineLoadError' });
    await expect(run(engine, ask('Hello'))).rejects.toMatchObject({ code: 'server_shutting_down' });
  });
});
