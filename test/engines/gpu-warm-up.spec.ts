import { afterEach, describe, expect, it, vi } from 'vitest';
import { BaseModel } from '../../libs/engine-llama/src/base-model.js';
import { LlamaEngine } from '../../libs/engine-llama/src/llama-engine.js';
import { DEMO_MODEL, demoEngine } from './demo-engine.js';
import { SETTINGS, ask, run } from './engine-run.js';

/** The requests that are generated at once while an engine loads, by how many they are. */
async function loadWith(gpu: 'cuda' | false): Promise<{ engine: LlamaEngine; sizes: number[] }> {
  vi.spyOn(BaseModel.prototype, 'gpu', 'get').mockReturnValue(gpu);
  const engine = new LlamaEngine(DEMO_MODEL, { ...SETTINGS, slots: 3 });
  const sizes: number[] = [];
  let running = 0;
  const generate = engine.generate.bind(engine);
  vi.spyOn(engine, 'generate').mockImplementation(async (...given) => {
    sizes.push((running += 1));
    try {
      return await generate(...given);
    } finally {
      running -= 1;
    }
  });
  await engine.load(() => undefined, new AbortController().signal);
  return { engine, sizes };
}

describe('the first requests of a model', () => {
  afterEach(() => void vi.restoreAllMocks());

  it('are as many at once as later ones may be, on a GPU', async () => {
    const { engine, sizes } = await loadWith('cuda');
    expect(sizes).toEqual([1, 1, 1, 2, 1, 2, 3, 1, 2, 3]);
    const first = await run(engine, ask('Hello'));
    expect((await first.usage).cached).toBe(0);
    await engine.unload();
  });

  it('are one without a GPU', async () => {
    const { engine, sizes } = await loadWith(false);
    expect(sizes).toEqual([1]);
    await engine.unload();
  });

  it('end a load that is given up or unloaded with that reason', async () => {
    const givenUp = new Error('The load was given up.');
    const reasons = await Promise.all(
      ['given up', 'given up and failed', 'unloaded'].map(async (how) => {
        const controller = new AbortController();
        const engine = new LlamaEngine(DEMO_MODEL, SETTINGS);
        const generate = engine.generate.bind(engine);
        vi.spyOn(engine, 'generate').mockImplementation(async (...given) => {
          const answer = generate(...given);
          if (how === 'unloaded') void engine.unload();
          else controller.abort(givenUp);
          const usage = await answer;
          if (how === 'given up and failed') throw new Error('The request failed.');
          return usage;
        });
        const reason: unknown = await engine.load(() => undefined, controller.signal).catch((error: unknown) => error);
        await engine.unload();
        return reason;
      }),
    );
    expect(reasons).toEqual([givenUp, givenUp, expect.objectContaining({ reason: 'engine_crashed' })]);
  });

  // A Mac has a GPU for llama.cpp.
  it.skipIf(process.platform === 'darwin')('come with a warning where a GPU was wanted and none is found', async () => {
    const warn = vi.spyOn(SETTINGS.log, 'warn');
    const engine = await demoEngine({ gpu: true });
    expect(warn).toHaveBeenCalledWith({}, 'llama.no_gpu');
    await engine.unload();
  });
});
