import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServedAdapter } from '@slipway/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EngineLoadError } from '../../../libs/engine/src/engine.js';
import { assertAdapterFits, readInfo } from '../../../libs/engine-llama/src/adapter-file.js';
import { LlamaEngine } from '../../../libs/engine-llama/src/llama-engine.js';
import { loraFile, type LoraOptions } from '../../adapters/lora-file.js';
import { AdapterMaker, type WitnessedAdapter } from '../../adapters/witnessed-adapter.js';
import { DEMO_MODEL } from '../demo-engine.js';
import { ask, run, SETTINGS } from '../engine-run.js';

let folder: string;
let maker: AdapterMaker;
let [one, other]: WitnessedAdapter[] = [];
let base: Awaited<ReturnType<typeof readInfo>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-adapter-'));
  base = await readInfo(DEMO_MODEL);
  maker = await AdapterMaker.open(DEMO_MODEL, folder);
  [one, other] = [await maker.make({ seed: 1 }), await maker.make({ seed: 2 })];
});
afterAll(async () => {
  await maker.close();
  await rm(folder, { recursive: true, force: true });
});

interface Loaded {
  readonly path?: string;
  readonly facts?: Partial<ServedAdapter>;
  readonly assertBase?: () => Promise<void>;
  readonly context?: number;
}

/** Loads the first adapter, or what is named in its place, and answers. */
async function loaded({ path, facts, assertBase, context }: Loaded = {}): Promise<{
  fingerprint: string;
  text: string;
}> {
  const adapter = { path: path ?? one!.path, facts: { ...one!.facts, ...facts }, assertBase: assertBase ?? (() => Promise.resolve()) };
  const engine = new LlamaEngine(DEMO_MODEL, { ...SETTINGS, slots: 2, adapter, ...(context !== undefined && { context }) });
  try {
    const { fingerprint } = await engine.load(() => undefined, new AbortController().signal);
    return { fingerprint, text: (await run(engine, ask('Who are you?', { sampling: { temperature: 0 } }))).text };
  } finally {
    await engine.unload();
  }
}

const faultOf = (work: Promise<unknown>): Promise<{ reason: string; detail: string }> =>
  work.then(
    () => ({ reason: 'none', detail: '' }),
    (error: unknown) => {
      if (error instanceof EngineLoadError) return { reason: error.reason, detail: error.message };
      throw error;
    },
  );

const fault = (how: Loaded): Promise<{ reason: string; detail: string }> => faultOf(loaded(how));

/** Of the check of the file alone. */
const misfit = ({ path = one!.path, facts }: Pick<Loaded, 'path' | 'facts'>): Promise<{ reason: string; detail: string }> =>
  faultOf(assertAdapterFits(path, base, { ...one!.facts, ...facts }));

async function file(name: string, options: LoraOptions): Promise<string> {
  const path = join(folder, `${name}.gguf`);
  await writeFile(path, await loraFile(DEMO_MODEL, options));
  return path;
}

describe('the llama engine with an adapter', () => {
  it('is ready, answers otherwise, and has its own fingerprint', async () => {
    const bare = new LlamaEngine(DEMO_MODEL, { ...SETTINGS, slots: 2 });
    const facts = await bare.load(() => undefined, new AbortController().signal);
    const plain = (await run(bare, ask('Who are you?', { sampling: { temperature: 0 } }))).text;
    await bare.unload();
    const [first, again, second] = [await loaded(), await loaded(), await loaded({ path: other!.path, facts: other!.facts })];
    expect(first).toEqual(again);
    expect(new Set([facts.fingerprint, first.fingerprint, second.fingerprint]).size).toBe(3);
    expect(new Set([plain, first.text, second.text]).size).toBe(3);
  });

  it('fails by the witness of another adapter, near or far', async () => {
    const near = await maker.make({ seed: 1, strength: 0.9 });
    expect(await fault({ facts: { witness: other!.facts.witness } })).toMatchObject({ reason: 'witness_failed' });
    expect(await fault({ path: near.path })).toMatchObject({ reason: 'witness_failed' });
    expect((await fault({ path: other!.path })).detail).toMatch(/^The answers of this replica are \d\.\d{4} away .* at most 0\.02/);
  });

  it('fails by the witness where the adapter does nothing', async () => {
    expect(await fault({ path: await file('zero', { seed: 1, strength: 0 }) })).toMatchObject({ reason: 'witness_failed' });
  });

  it('fails in a context that holds no stored answer', async () => {
    const long = one!.facts.witness.map((answer) => ({ ...answer, prompt: Array.from({ length: 300 }, () => 5) }));
    expect(await fault({ facts: { witness: long }, context: 256 })).toMatchObject({ reason: 'witness_failed' });
  });

  it('fails when its base was replaced meanwhile', async () => {
    const assertBase = () => Promise.reject(new EngineLoadError('adapter_mismatch', 'Replaced.'));
    expect(await fault({ assertBase })).toEqual({ reason: 'adapter_mismatch', detail: 'Replaced.' });
  });

  it('loads no file that does not fit', async () => {
    const path = await file('rank', { seed: 1, rank: 300 });
    expect(await fault({ path })).toEqual({ reason: 'adapter_mismatch', detail: expect.stringContaining('has rank 300') as string });
  });
});

describe('the file of an adapter', () => {
  it.each<[string, Partial<ServedAdapter>, string]>([
    ['template', { template_sha256: '0'.repeat(64) }, 'another chat template'],
    ['tokenizer', { tokenizer_sha256: '0'.repeat(64) }, 'another tokenizer'],
  ])('does not fit a base with another %s', async (_, facts, detail) => {
    expect(await misfit({ facts })).toEqual({ reason: 'adapter_mismatch', detail: expect.stringContaining(detail) as string });
  });

  it.each<[string, Partial<LoraOptions>, string]>([
    ['is for another architecture', { architecture: 'llama' }, 'The adapter is for llama'],
    ['is no adapter', { type: 'model' }, 'holds no LoRA adapter'],
    ['has a high rank', { rank: 300 }, 'has rank 300'],
    ['has half of a pair', { change: (all) => all.slice(1) }, 'half of blk.0'],
    ['has no tensors', { change: () => [] }, 'has no tensors'],
    ['has other tensors', { change: ([first, ...rest]) => [{ ...first!, name: 'blk.0.attn_q.weight' }, ...rest] }, 'no part of LoRA'],
    [
      'names no tensor of the base',
      { change: (all) => all.map((t) => ({ ...t, name: t.name.replace('blk.', 'blk.9') })) },
      'has no tensor blk.9',
    ],
    [
      'has another shape',
      {
        change: (all) =>
          all.map((t) => (t.name.endsWith('lora_b') ? { ...t, dimensions: [t.dimensions[1], t.dimensions[0]] as const } : t)),
      },
      'another shape',
    ],
    [
      'holds NaN',
      {
        change: ([first, ...rest]) => {
          first!.values[3] = Number.NaN;
          return [first!, ...rest];
        },
      },
      'no numbers',
    ],
  ])('that %s is refused', async (name, options, detail) => {
    const path = await file(name.replaceAll(' ', '-'), { seed: 1, ...options });
    expect(await misfit({ path })).toEqual({ reason: 'adapter_mismatch', detail: expect.stringContaining(detail) as string });
  });

  it('that is cut or no GGUF is refused', async () => {
    const cut = join(folder, 'cut.gguf');
    await writeFile(cut, one!.content.subarray(0, one!.content.length - 64));
    expect(await misfit({ path: cut })).toMatchObject({ reason: 'adapter_mismatch', detail: expect.stringContaining('damaged') as string });
    await writeFile(cut, 'no adapter');
    expect(await misfit({ path: cut })).toMatchObject({ reason: 'adapter_mismatch' });
  });
});
