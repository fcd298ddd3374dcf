import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AssignmentItem, Incarnation } from '@slipway/contracts';
import { type NatsConnection, nuid, Tracing } from '@slipway/platform';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEngine } from '../../../apps/inference-worker/src/engines.js';
import { Runner } from '../../../apps/inference-worker/src/runner/runner.js';
import { ENV, GatewayRig, type RunningGateway, until } from '../../gateway/gateway-rig.js';
import { SETTINGS } from '../engine-run.js';
import { TINY_CONTEXT, TINY_DIMENSIONS, writeTinyEmbedder } from '../tiny-embedder.js';

const SLOTS = 2;
const dot = (a: readonly number[], b: readonly number[]): number => a.reduce((sum, value, i) => sum + value * (b[i] ?? NaN), 0);

describe('an embedding model behind a gateway', () => {
  let rig: GatewayRig;
  let gw: RunningGateway;
  let folder: string;
  let slug: string;
  let key: string;
  let item: AssignmentItem;
  const workers: { readonly runner: Runner; readonly nats: NatsConnection }[] = [];

  async function startWorker(): Promise<void> {
    const nats = await rig.connect('runner');
    const engine = await createEngine(item.source as { kind: 'file'; path: string }, { ...SETTINGS, slots: SLOTS, queue: SLOTS });
    const wk = nuid.next() as Incarnation;
    const runner = new Runner({
      wk,
      engine,
      nats,
      env: ENV,
      item,
      zone: null,
      log: rig.log,
      tracing: new Tracing(),
      lost: () => undefined,
    });
    workers.push({ runner, nats });
    await runner.start(() => undefined, new AbortController().signal);
  }

  beforeAll(async () => {
    rig = await GatewayRig.start();
    folder = await mkdtemp(join(tmpdir(), 'slipway-embeddings-'));
    const path = join(folder, 'tiny.gguf');
    await writeTinyEmbedder(path);
    const account = rig.account();
    key = rig.key(account.id).value;
    const caps = ['embed', 'matryoshka', `dimensions:${TINY_DIMENSIONS}`];
    const deployment = rig.deployment(account.id, { caps, context: TINY_CONTEXT });
    slug = `deployment-${deployment.id}`;
    const source = { kind: 'file' as const, path, engine: { kind: 'llama', options: { matryoshka: 'on' } } };
    item = { dep: deployment.id, rev: 1, source, context: null, slots: SLOTS, threads: 1, default_max_tokens: null };
    gw = await rig.gateway();
    await Promise.all([startWorker(), startWorker()]);
    await until('the gateway answers', async () => (await embed(['a']).catch(() => null)) !== null);
  });
  afterAll(async () => {
    await Promise.allSettled(workers.map(({ runner }) => runner.stop({ deadlineMs: 0, stopped: false })));
    await rig?.end();
    await rm(folder, { recursive: true, force: true });
  });

  const embed = async (input: string | string[], more: Partial<OpenAI.EmbeddingCreateParams> = {}) => {
    const client = new OpenAI({ baseURL: `${gw.url}/${slug}/v1`, apiKey: key, maxRetries: 0 });
    return client.embeddings.create({ model: slug, input, ...more });
  };
  const numbered = (count: number): string[] => Array.from({ length: count }, (_, i) => `the dog number ${i} runs`);

  it('gives vectors of length 1, near where texts share words', async () => {
    const { data, usage } = await embed(['The cat sleeps on the sofa.', 'A cat sleeps on a sofa.', 'bank invoice seven']);
    const [cat = [], other = [], bank = []] = data.map(({ embedding }) => embedding);
    for (const vector of [cat, other, bank]) expect(Math.sqrt(dot(vector, vector))).toBeCloseTo(1, 3);
    expect(dot(cat, other)).toBeGreaterThan(dot(cat, bank) + 0.2);
    expect(usage.prompt_tokens).toBeGreaterThan(15);
  });

  it('gives each text the vector that it has alone', async () => {
    const texts = numbered(130);
    const { data } = await embed(texts);
    expect(data.map(({ index }) => index)).toEqual(texts.map((_, i) => i));
    for (const i of [0, 63, 64, 129]) {
      const [alone] = (await embed(texts[i] ?? '')).data;
      for (const [at, number] of (alone?.embedding ?? []).entries()) expect(number).toBeCloseTo(data[i]?.embedding[at] ?? NaN, 3);
    }
  });

  it('shortens vectors to length 1', async () => {
    const { data } = await embed('the ship sails', { dimensions: 64 });
    const [{ embedding } = { embedding: [] }] = data;
    expect(embedding).toHaveLength(64);
    expect(Math.sqrt(dot(embedding, embedding))).toBeCloseTo(1, 3);
  });

  it('refuses a text above the context by its place, and gives no vector', async () => {
    const texts = [...numbered(100), 'cat '.repeat(TINY_CONTEXT)];
    await expect(embed(texts)).rejects.toMatchObject({ status: 400, code: 'context_length_exceeded', param: 'input[100]' });
  });

  it('loses a worker among 2,048 texts without a gap', async () => {
    const texts = numbered(2_048);
    const whole = await embed(texts);
    const asked = embed(texts).catch((error: unknown) => error as InstanceType<typeof OpenAI.APIError>);
    const [lost] = workers;
    await until('the worker is at work', () => (lost?.runner.figures()?.running ?? 0) > 0);
    await lost?.nats.close();
    const answer = await asked;
    if ('data' in answer) expect(answer).toEqual(whole);
    else expect([502, 503]).toContain(answer.status);
    const some = texts.slice(0, 100);
    await until('the other worker answers alone', async () => (await embed(some).catch(() => null)) !== null);
    expect((await embed(some)).data).toEqual(whole.data.slice(0, 100));
  });
});
