import { writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LlamaServerEngine } from '../../../libs/engine-http/src/llama-server/engine.js';
import type { EngineFacts } from '../../../libs/engine/src/engine.js';
import { DEMO_MODEL } from '../demo-engine.js';
import { ask, run, SETTINGS } from '../engine-run.js';
import { BUILD_MS, buildLlamaServer, canBuild, LLAMA_SERVER } from './llama-server.js';

const never = new AbortController().signal;
const settings = { ...SETTINGS, slots: 2, program: { path: LLAMA_SERVER, args: [] } };

describe.skipIf(!canBuild())('a real llama-server that a worker runs', () => {
  let engine: LlamaServerEngine;
  let facts: EngineFacts;

  beforeAll(async () => {
    await buildLlamaServer();
    engine = new LlamaServerEngine(
      { path: DEMO_MODEL, options: { cache_type: 'q8_0', flash_attention: 'auto', gpu_layers: '0' } },
      settings,
    );
    facts = await engine.load(() => undefined, never);
  }, BUILD_MS);
  afterAll(() => engine?.unload());

  it('has the context of the model in each slot', () => {
    expect(facts).toMatchObject({ context: 1_024, slots: 2 });
    expect(facts.caps).toEqual(expect.arrayContaining(['tools', 'grammar', 'exact_count', 'exact_usage']));
    expect(facts.caps).not.toContain('images');
  });

  it('answers, counts and passes its checks', async () => {
    const answer = await run(engine, ask('Who are you?'));
    expect(answer.text).toMatch(/tiny demo model/);
    const usage = await answer.usage;
    expect(usage).not.toHaveProperty('estimated');
    expect(await engine.count(ask('Who are you?'), never, null)).toEqual({ tokens: usage.prompt, exact: true });
    await engine.check(never);
  });

  it('reports a damaged file and a wrong argument', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'slipway-test-'));
    try {
      const path = join(folder, 'damaged.gguf');
      writeFileSync(path, 'GGUF and nothing else');
      const load = (path: string, args: string[] = []) =>
        new LlamaServerEngine({ path, options: {} }, { ...settings, program: { path: LLAMA_SERVER, args } }).load(() => undefined, never);
      await expect(load(path)).rejects.toMatchObject({ reason: 'model_invalid' });
      await expect(load(DEMO_MODEL, ['--nonsense'])).rejects.toMatchObject({ reason: 'engine_refused' });
      await expect(load(DEMO_MODEL, ['--ctx-size'])).rejects.toMatchObject({ reason: 'engine_refused' });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
