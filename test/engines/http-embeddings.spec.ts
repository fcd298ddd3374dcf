import type { CanonicalRequest, StreamEvent } from '@slipway/contracts';
import { createLogger } from '@slipway/platform';
import { chatStream, jsonAnswer, modelList, type UpstreamRequest, type UpstreamScript } from '@slipway/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { createRequestReaders } from '../../libs/engine-http/src/request-readers.js';
import { tryUpstream } from '../../libs/engine-http/src/try-upstream.js';
import type { Engine } from '../../libs/engine/src/engine.js';
import { ask, run, SETTINGS, until } from './engine-run.js';
import { UpstreamBench } from './upstream-bench.js';

const PATH = '/v1/embeddings';
const never = new AbortController().signal;

const textsIn = ({ body }: UpstreamRequest): string[] => (body as { input: string[] }).input;
/** Vectors of length 5 whose direction is that of their text's number; listed from the last text to the first. */
const vectors = (request: UpstreamRequest): UpstreamScript => {
  const data = textsIn(request).map((text, index) => ({ index, embedding: [3 * (Number(text) || 1), 4] }));
  return jsonAnswer(200, { data: data.toReversed(), usage: { prompt_tokens: 7 * data.length, total_tokens: 7 * data.length } });
};
const asking = (texts: readonly string[]): CanonicalRequest => ({ ...ask(''), messages: texts.flatMap((text) => ask(text).messages) });

async function embed(engine: Engine, texts: readonly string[] | Uint8Array, signal = never) {
  const found: number[][] = [];
  const events = (batch: readonly StreamEvent[]): void => {
    for (const event of batch) {
      if (event.k === 'vec') found[event.i] = [...new Float32Array(new Uint8Array(Buffer.from(event.x, 'base64')).buffer)];
    }
  };
  const request = texts instanceof Uint8Array ? texts : asking(texts);
  const usage = await engine.embed!(request, { account: null, phase: () => undefined, events }, signal);
  return { usage, vectors: found };
}

describe('an embedding model behind a server', () => {
  const bench = new UpstreamBench();
  const serving = (answer = vectors): void => {
    bench.upstream.answer = () => jsonAnswer(404, { detail: 'The model does not support chat completions.' });
    bench.upstream.posts.set(PATH, answer);
  };
  const asked = (): UpstreamRequest[] => bench.upstream.requests.filter(({ path }) => path === PATH);

  it('is found by one request for an embedding', async () => {
    serving();
    const facts = await bench.engine().load(() => undefined, never);
    expect(facts.caps).toEqual(['embed', 'exact_usage', 'dimensions:2']);
    expect(asked().map(({ body }) => body)).toEqual([{ model: 'scripted', input: ['Hello'], encoding_format: 'float' }]);
  });

  it('is found by the test of an engine', async () => {
    serving();
    const finding = await tryUpstream({ url: bench.upstream.url, model: 'scripted', credential: undefined }, SETTINGS.log);
    expect(finding).toMatchObject({ outcome: 'answers', dimensions: 2 });
    bench.upstream.posts.delete(PATH);
    const chat = await tryUpstream({ url: bench.upstream.url, model: 'scripted', credential: undefined }, SETTINGS.log);
    expect(chat).not.toHaveProperty('dimensions');
  });

  it('is not taken for one where conversations are answered too', async () => {
    bench.upstream.posts.set(PATH, vectors);
    bench.upstream.answer = () => chatStream(['Hi']);
    expect((await bench.engine().load(() => undefined, never)).caps).not.toContain('embed');
  });

  it('gives vectors of length 1 in the order of the texts', async () => {
    serving();
    const { vectors: found, usage } = await embed(await bench.loaded(), ['1', '2', '0.5']);
    const expected = [1, 2, 0.5].map((text) => [(3 * text) / Math.hypot(3 * text, 4), 4 / Math.hypot(3 * text, 4)]);
    expect(found.map((vector) => vector.map((number) => number.toFixed(5)))).toEqual(
      expected.map((vector) => vector.map((number) => number.toFixed(5))),
    );
    expect(usage).toEqual({ prompt: 21, cached: 0, completion: 0 });
  });

  it('estimates the tokens that a server does not count', async () => {
    serving((request) => jsonAnswer(200, { data: textsIn(request).map((_, index) => ({ index, embedding: [1, 0] })) }));
    const { usage } = await embed(await bench.loaded(), ['twelve chars']);
    expect(usage).toEqual({ prompt: 3, cached: 0, completion: 0, estimated: true });
  });

  it.each([
    ['too few', [{ index: 0, embedding: [1, 0] }]],
    ['two in one place', [0, 0].map((index) => ({ index, embedding: [1, 0] }))],
    ['one of another size', [[1, 0], [1]].map((embedding, index) => ({ index, embedding }))],
    [
      'one without direction',
      [
        [1, 0],
        [0, 0],
      ].map((embedding, index) => ({ index, embedding })),
    ],
    ['one that is base64', ['AACAPw==', 'AACAPw=='].map((embedding, index) => ({ index, embedding }))],
    ['one out of place', [0, 9].map((index) => ({ index, embedding: [1, 0] }))],
  ])('fails with vectors of which there are %s', async (_, data) => {
    serving((request) => (textsIn(request)[0] === 'Hello' ? vectors(request) : jsonAnswer(200, { data })));
    await expect(embed(await bench.loaded(), ['1', '2'])).rejects.toMatchObject({ code: 'engine_error' });
  });

  it.each([
    [
      'vLLM',
      400,
      "This model's maximum context length is 8 tokens. However, you requested 9 tokens in the input for embedding generation.",
    ],
    ['llama-server', 500, 'input is too large to process. increase the physical batch size'],
  ])('names the text that is too long for %s', async (_, status, message) => {
    serving((request) =>
      textsIn(request).some((text) => text.length > 8) ? jsonAnswer(status, { error: { message } }) : vectors(request),
    );
    const refused = embed(await bench.loaded(), ['1', 'this is too long', '2']);
    await expect(refused).rejects.toMatchObject({ code: 'context_length_exceeded', param: 'input[1]' });
  });

  it('refuses a text that cannot fit without asking', async () => {
    bench.upstream.gets.set('/v1/models', modelList('scripted', { owned_by: 'vllm', max_model_len: 16 }));
    serving();
    const engine = await bench.loaded();
    const refused = embed(engine, ['1', 'x'.repeat(64 * 16 + 1)]);
    await expect(refused).rejects.toMatchObject({ code: 'context_length_exceeded', param: 'input[1]', facts: { context: 16 } });
    expect(asked().length).toBe(1);
  });

  it('is cut off when its caller leaves, and gives its slot back', async () => {
    serving((request) => (textsIn(request)[0] === 'Hello' ? vectors(request) : { steps: [{ hang: true }] }));
    const engine = await bench.loaded({ slots: 1 });
    const abort = new AbortController();
    const left = embed(engine, ['1'], abort.signal);
    await until('the request arrives', () => asked().length === 2);
    abort.abort();
    expect((await left).vectors).toEqual([]);
    expect(engine.current()).toEqual({ running: 0, queued: 0 });
  });

  it('refuses conversations by naming the endpoint', async () => {
    serving();
    const refused = run(await bench.loaded(), ask('Hello'));
    await expect(refused).rejects.toMatchObject({ code: 'invalid_request', message: expect.stringContaining('/v1/embeddings') as string });
  });

  it('is asked by Ollama’s own contract, which cuts nothing', async () => {
    bench.upstream.gets.set('/v1/models', modelList('scripted', { owned_by: 'library' }));
    bench.upstream.posts.set('/api/show', () => jsonAnswer(200, { capabilities: ['embedding'] }));
    bench.upstream.posts.set('/api/embed', (request) =>
      jsonAnswer(200, { embeddings: textsIn(request).map(() => [0, 2]), prompt_eval_count: 3 }),
    );
    const engine = await bench.loaded();
    const { vectors: found, usage } = await embed(engine, ['1', '2']);
    expect(found).toEqual([
      [0, 1],
      [0, 1],
    ]);
    expect(usage.prompt).toBe(3);
    const bodies = bench.upstream.requests.filter(({ path }) => path === '/api/embed').map(({ body }) => body);
    expect(bodies.at(-1)).toEqual({ model: 'scripted', input: ['1', '2'], truncate: false });
  });

  describe('with threads for large answers', () => {
    const readers = createRequestReaders(createLogger('test', 'silent'));
    afterAll(() => readers.close());

    it('reads them there, and unread starts', async () => {
      const wide = (request: UpstreamRequest): UpstreamScript =>
        jsonAnswer(200, {
          data: textsIn(request).map((_, index) => ({ index, embedding: Array.from({ length: 4_096 }, () => 0.123456789) })),
        });
      serving(wide);
      const engine = await bench.loaded({ readers });
      const start = { st: 's', at: 1, dep: 1, rev: 1, api: 'embed', req: asking(Array.from({ length: 16 }, (_, i) => `text ${i}`)) };
      const { vectors: found } = await embed(engine, Buffer.from(JSON.stringify(start)));
      expect(found.map(({ length }) => length)).toEqual(Array.from({ length: 16 }, () => 4_096));
      expect(found[15]?.[0]).toBeCloseTo(1 / 64, 6);
    });
  });
});
