import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TINY_CONTEXT, TINY_DIMENSIONS, writeTinyEmbedder } from '../../engines/tiny-embedder.js';
import { type Stack, startStack } from '../stack.js';

describe('a Slipway started with a model of embeddings', () => {
  let stack: Stack;
  let folder: string;
  let client: OpenAI;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'slipway-embeddings-'));
    const model = join(folder, 'tiny.gguf');
    await writeTinyEmbedder(model);
    stack = await startStack(['--model', model]);
    client = new OpenAI({ baseURL: `${stack.base_url}/${stack.alias}/v1`, apiKey: stack.key ?? '', maxRetries: 0 });
  });
  afterAll(async () => {
    await stack?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('answers the official SDK by its alias', async () => {
    const texts = Array.from({ length: 200 }, (_, i) => `the cat number ${i} sleeps`);
    const { data, usage, model } = await client.embeddings.create({ model: 'demo', input: texts });
    expect(data.map(({ embedding }) => embedding.length)).toEqual(texts.map(() => TINY_DIMENSIONS));
    expect(usage.total_tokens).toBeGreaterThan(200);
    expect(model).toBe(stack.deployment);
  });

  it('says what it does in its list of models', async () => {
    const [model] = (await client.models.list()).data;
    expect(model).toMatchObject({ context_length: TINY_CONTEXT, architecture: { modality: 'text->embeddings' } });
  });

  it('names the right endpoint to a conversation', async () => {
    const asked = client.chat.completions.create({ model: 'demo', messages: [{ role: 'user', content: 'Hello' }] });
    await expect(asked).rejects.toMatchObject({ status: 400, message: expect.stringContaining('/v1/embeddings') as string });
  });
});
