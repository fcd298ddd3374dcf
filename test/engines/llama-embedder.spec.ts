import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CanonicalRequest, ServiceError, StreamEvent } from '@slipway/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isEmbeddingModel } from '../../libs/engine/src/gguf-metadata.js';
import { LlamaEmbedder } from '../../libs/engine-llama/src/llama-embedder.js';
import { DEMO_MODEL } from './demo-engine.js';
import { SETTINGS } from './engine-run.js';
import { TINY_CONTEXT, TINY_DIMENSIONS, writeTinyEmbedder } from './tiny-embedder.js';

let folder: string;
let model: string;
let engine: LlamaEmbedder;
let facts: Awaited<ReturnType<LlamaEmbedder['load']>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-embedder-'));
  model = join(folder, 'tiny-embedder.gguf');
  await writeTinyEmbedder(model);
  engine = new LlamaEmbedder(model, { ...SETTINGS, slots: 2, matryoshka: false });
  facts = await engine.load(() => undefined, new AbortController().signal);
});

afterAll(async () => {
  await engine.unload();
  await rm(folder, { recursive: true, force: true });
});

const asking = (texts: readonly string[]): CanonicalRequest => ({
  messages: texts.map((text) => ({ role: 'user', content: [{ type: 'text', text }] })),
  sampling: {},
  stop: [],
});

type Vector = Extract<StreamEvent, { k: 'vec' }>;
const floatsOf = ({ x }: Vector): number[] => [...new Float32Array(new Uint8Array(Buffer.from(x, 'base64')).buffer)];
const dot = (a: readonly number[], b: readonly number[]): number => a.reduce((sum, value, i) => sum + value * (b[i] ?? NaN), 0);

async function embed(texts: readonly string[], signal = new AbortController().signal, onVector = (): void => undefined) {
  const vectors: number[][] = [];
  const events = (batch: readonly StreamEvent[]): void => {
    for (const event of batch) if (event.k === 'vec') vectors[event.i] = floatsOf(event);
    onVector();
  };
  const usage = await engine.embed(asking(texts), { account: null, phase: () => undefined, events }, signal);
  return { usage, vectors };
}

describe('an embedding model in llama.cpp', () => {
  it('is told from a chat model by its pooling', async () => {
    const chatLike = join(folder, 'no-pooling.gguf');
    await writeTinyEmbedder(chatLike, null);
    const score = join(folder, 'rank.gguf');
    await writeTinyEmbedder(score, 4);
    const found = [model, chatLike, score, DEMO_MODEL, join(folder, 'absent.gguf')].map(isEmbeddingModel);
    expect(await Promise.all(found)).toEqual([true, false, false, false, false]);
  });

  it('reports what it does and its dimensions', () => {
    expect(facts).toMatchObject({ context: TINY_CONTEXT, slots: 2 });
    expect(facts.caps).toEqual(['embed', 'exact_usage', `dimensions:${TINY_DIMENSIONS}`]);
  });

  it('makes vectors of length 1, in place of their texts', async () => {
    const texts = ['The cat sleeps on the sofa.', 'A ship in the harbour', 'The cat sleeps on the sofa.'];
    const { vectors, usage } = await embed(texts);
    expect(vectors.map(({ length }) => length)).toEqual([TINY_DIMENSIONS, TINY_DIMENSIONS, TINY_DIMENSIONS]);
    for (const vector of vectors) expect(Math.sqrt(dot(vector, vector))).toBeCloseTo(1, 4);
    expect(vectors[2]).toEqual(vectors[0]);
    expect(usage).toMatchObject({ cached: 0, completion: 0 });
    expect(usage.prompt).toBeGreaterThan(20);
  });

  it('puts texts that share words near each other', async () => {
    const { vectors } = await embed(['the cat sleeps on the sofa', 'a cat sleeps in the house', 'bank invoice number seven']);
    const [cat = [], other = [], bank = []] = vectors;
    expect(dot(cat, other)).toBeGreaterThan(dot(cat, bank) + 0.2);
  });

  it('makes the same vector alone and among others, on every context', async () => {
    const texts = Array.from({ length: 12 }, (_, i) => `the dog runs ${i} to the sea`);
    const [together, ...alone] = await Promise.all([embed(texts), ...texts.map((text) => embed([text]))]);
    for (const [i, { vectors }] of alone.entries()) expect(dot(vectors[0] ?? [], together?.vectors[i] ?? [])).toBeCloseTo(1, 4);
  });

  it('reads a text that fills the context, and refuses a longer one', async () => {
    const { usage } = await embed([Array.from({ length: TINY_CONTEXT - 2 }, () => 'cat').join(' ')]);
    expect(usage.prompt).toBe(TINY_CONTEXT);
    const long = Array.from({ length: TINY_CONTEXT - 1 }, () => 'cat').join(' ');
    await expect(embed(['cat', long])).rejects.toMatchObject({
      code: 'context_length_exceeded',
      param: 'input[1]',
      facts: { tokens: TINY_CONTEXT + 1, context: TINY_CONTEXT },
    } satisfies Partial<ServiceError>);
    await expect(embed(['x'.repeat(1_000_000)])).rejects.toMatchObject({ code: 'context_length_exceeded', param: 'input[0]' });
  });

  it('makes a vector of blanks and of marks of its own', async () => {
    const { vectors } = await embed([' \n', '[CLS]', '日本語']);
    for (const vector of vectors) expect(Math.sqrt(dot(vector, vector))).toBeCloseTo(1, 4);
  });

  it('ends soon after a cancel, with what it counted', async () => {
    const abort = new AbortController();
    const texts = Array.from({ length: 2_000 }, () => 'the ship sails on the sea');
    const { vectors, usage } = await embed(texts, abort.signal, () => abort.abort());
    expect(vectors.length).toBe(1);
    expect(usage.prompt).toBeLessThan(100);
    expect(engine.current()).toEqual({ running: 0, queued: 0 });
  });

  it('refuses conversations by naming the endpoint', async () => {
    for (const asked of [engine.generate(), engine.count()]) {
      await expect(asked).rejects.toMatchObject({ code: 'invalid_request', message: expect.stringContaining('/v1/embeddings') as string });
    }
  });
});
