import OpenAI from 'openai';
import { type DeploymentFacts, ServiceError, START_HEADERS } from '@slipway/contracts';
import { parsePeppers, StreamClaims } from '@slipway/platform';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ENV, GatewayRig, PEPPERS, type RunningGateway, until } from './gateway-rig.js';
import { answerInWords, embedNumbers, pause, type ScriptedRunner, TEXT_TOKENS, usageOf, vectorOf } from './scripted-runner.js';

const CAPS = ['embed', 'dimensions:4'];
const CONTEXT = 512;

interface Answer {
  readonly object: string;
  readonly data: { readonly object: string; readonly index: number; readonly embedding: number[] | string }[];
  readonly model: string;
  readonly usage: { readonly prompt_tokens: number; readonly total_tokens: number };
}

const numbered = (count: number): string[] => Array.from({ length: count }, (_, i) => `text ${i}`);
const floatsOf = (base64: string): number[] => [...new Float32Array(new Uint8Array(Buffer.from(base64, 'base64')).buffer)];
const close = (found: readonly number[] | undefined, wanted: Iterable<number>): void => {
  expect(found?.map((number) => number.toFixed(5))).toEqual([...wanted].map((number) => number.toFixed(5)));
};

describe('embeddings', () => {
  let rig: GatewayRig;
  let gw: RunningGateway;
  let runners: ScriptedRunner[];
  let key: string;
  let keyId: number;
  let account: { readonly id: DeploymentFacts['account']; readonly slug: string };
  let slug: string;

  beforeAll(async () => {
    rig = await GatewayRig.start();
    account = rig.account();
    ({ value: key, id: keyId } = rig.key(account.id));
    const deployment = rig.deployment(account.id, { caps: CAPS, context: CONTEXT });
    rig.alias(account.id, 'vectors', deployment.id);
    slug = `deployment-${deployment.id}`;
    gw = await rig.gateway();
    const options = { dep: deployment.id, script: embedNumbers, caps: CAPS, slots: 2 };
    runners = [await rig.runner(options), await rig.runner(options)];
    await until('both runners are known', async () => {
      for (const runner of runners) runner.admitted.splice(0);
      await ask({ input: numbered(300) });
      return runners.every(({ admitted }) => admitted.length > 0);
    });
  });
  afterAll(() => rig?.end());
  afterEach(() => {
    for (const runner of runners) {
      runner.script = embedNumbers;
      runner.admitted.splice(0);
      runner.cancelled = 0;
    }
  });

  const post = (path: string, body: object, { with: credential = key, signal }: { with?: string; signal?: AbortSignal } = {}) =>
    fetch(`${gw.url}/${path}`, {
      method: 'POST',
      headers: { 'x-api-key': credential, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    });
  async function ask(body: object, name = slug): Promise<{ status: number; answer: Answer; error: Record<string, unknown> }> {
    const response = await post(`${name}/v1/embeddings`, { model: slug, ...body });
    const answer = (await response.json()) as Answer & { error: Record<string, unknown> };
    return { status: response.status, answer, error: answer.error };
  }
  const admitted = (): number => runners.reduce((sum, runner) => sum + runner.admitted.length, 0);

  it('of one text are one vector, by slug and alias', async () => {
    for (const name of [slug, `${account.slug}/vectors`]) {
      const { status, answer } = await ask({ input: 'text 5' }, name);
      expect({ status, ...answer, data: answer.data.map(({ object, index }) => ({ object, index })) }).toEqual({
        ...{ status: 200, object: 'list', model: slug, data: [{ object: 'embedding', index: 0 }] },
        usage: { prompt_tokens: TEXT_TOKENS, total_tokens: TEXT_TOKENS },
      });
      close(answer.data[0]?.embedding as number[], vectorOf('text 5'));
    }
  });

  it('have a claim for each part, by which its worker can report it', async () => {
    const nats = await rig.connect('listener');
    const claims = new StreamClaims(parsePeppers(PEPPERS));
    const valid: string[] = [];
    const deployment = Number(slug.split('-')[1]);
    nats.subscribe(`inf.${ENV}.v1.w.*.start`, {
      callback: (_, message) => {
        const { st } = JSON.parse(message.string()) as { st: string };
        const stream = { st, gw: message.reply?.split('.')[4] ?? '', account: account.id, key: keyId, deployment };
        if (claims.check(message.headers?.get(START_HEADERS.claim) ?? '', stream)) valid.push(st);
      },
    });
    await nats.flush();
    await ask({ input: numbered(130) });
    const [request] = valid.toSorted();
    expect(valid.toSorted()).toEqual([request, `${request}_1`, `${request}_2`]);
    await nats.close();
  });

  it('keep the order of their texts', async () => {
    const { answer } = await ask({ input: ['3', '1', '2'] });
    for (const [i, text] of ['3', '1', '2'].entries()) close(answer.data[i]?.embedding as number[], vectorOf(text));
    expect(answer.usage.prompt_tokens).toBe(3 * TEXT_TOKENS);
  });

  it('are the same floats in base64', async () => {
    const { answer } = await ask({ input: ['7'], encoding_format: 'base64' });
    expect(floatsOf(String(answer.data[0]?.embedding))).toEqual([...vectorOf('7')]);
  });

  it('are floats unless base64 is asked for', async () => {
    for (const format of [{}, { encoding_format: null }, { encoding_format: 'float' }]) {
      expect(Array.isArray((await ask({ input: '1', ...format })).answer.data[0]?.embedding)).toBe(true);
    }
  });

  it.each<[string, object, readonly [code: string, param: string], string?]>([
    ['a format that is none', { input: 'a', encoding_format: 'int8' }, ['invalid_value', 'encoding_format']],
    ['token ids', { input: [1, 2] }, ['unsupported_value', 'input'], 'check_embedding_ctx_length=False'],
    ['lists of token ids', { input: [[1, 2], [3]] }, ['unsupported_value', 'input'], 'check_embedding_ctx_length=False'],
    ['an empty text', { input: '' }, ['invalid_value', 'input']],
    ['an empty text among others', { input: ['a', ''] }, ['invalid_value', 'input[1]']],
    ['a text that is none', { input: ['a', null] }, ['invalid_value', 'input[1]']],
    ['no texts', { input: [] }, ['empty_array', 'input']],
    ['no input', {}, ['missing_required_parameter', 'input']],
    ['2,049 texts', { input: numbered(2_049) }, ['array_above_max_length', 'input']],
    [
      'too many tokens in all',
      { input: Array.from({ length: 100 }, () => 'x'.repeat(12_100)) },
      ['invalid_value', 'input'],
      '300000 tokens',
    ],
    [
      'a text that cannot fit',
      { input: ['a', 'x'.repeat(64 * CONTEXT + 1)] },
      ['context_length_exceeded', 'input[1]'],
      'maximum context length',
    ],
    ['no dimensions', { input: 'a', dimensions: 0 }, ['integer_below_min_value', 'dimensions']],
    ['more dimensions than there are', { input: 'a', dimensions: 5 }, ['invalid_value', 'dimensions'], '4 at most'],
    ['fewer dimensions than a plain model has', { input: 'a', dimensions: 2 }, ['unsupported_value', 'dimensions'], 'matryoshka'],
    ['another model', { input: 'a', model: 'text-embedding-3-small' }, ['model_mismatch', 'model']],
  ])('are refused for %s without any work', async (_, body, [code, param], words = '') => {
    const { status, error } = await ask(body);
    expect({ status, ...error }).toMatchObject({ status: 400, code, param, message: expect.stringContaining(words) as string });
    expect(admitted()).toBe(0);
  });

  it('have all dimensions where all are asked for', async () => {
    expect((await ask({ input: '1', dimensions: 4 })).answer.data[0]?.embedding).toHaveLength(4);
  });

  it('are shortened to length 1 where the deployment declares it', async () => {
    const { id } = rig.deployment(account.id, { caps: [...CAPS, 'matryoshka'] });
    await rig.runner({ dep: id, script: embedNumbers, caps: CAPS });
    const body = { model: `deployment-${id}`, input: '6', dimensions: 2 };
    await until('it answers', async () => (await post(`deployment-${id}/v1/embeddings`, body)).status === 200);
    for (const format of ['float', 'base64']) {
      const response = await post(`deployment-${id}/v1/embeddings`, { ...body, encoding_format: format });
      const found = ((await response.json()) as Answer).data[0]?.embedding ?? '';
      close(typeof found === 'string' ? floatsOf(found) : found, [7 / Math.hypot(7, 1), 1 / Math.hypot(7, 1)]);
    }
  });

  it('of 2,048 texts come whole from two workers', async () => {
    const texts = numbered(2_048);
    const { status, answer } = await ask({ input: texts, encoding_format: 'base64' });
    expect(status).toBe(200);
    expect(answer.data.map(({ index }) => index)).toEqual(texts.map((_, i) => i));
    expect(answer.data.map(({ embedding }) => floatsOf(String(embedding)))).toEqual(texts.map((text) => [...vectorOf(text)]));
    expect(answer.usage).toEqual({ prompt_tokens: TEXT_TOKENS * 2_048, total_tokens: TEXT_TOKENS * 2_048 });
    expect(runners.map((runner) => runner.admitted.length > 4)).toEqual([true, true]);
    expect(admitted()).toBe(32);
    expect(runners.flatMap((runner) => runner.admitted).every(({ api, req }) => api === 'embed' && req.messages.length === 64)).toBe(true);
  });

  it('of long texts come in parts of 8,192 tokens', async () => {
    const { status, answer } = await ask({ input: Array.from({ length: 10 }, (_, i) => `text ${i} ${'word '.repeat(3_000)}`) });
    expect({ status, vectors: answer.data.length }).toEqual({ status: 200, vectors: 10 });
    expect(admitted()).toBe(5);
  });

  it('name a text by its place in the request', async () => {
    for (const runner of runners) {
      runner.script = async (start, ...rest) => {
        const at = start.req.messages.findIndex(({ content }) => content.some((part) => part.type === 'text' && part.text === 'text 200'));
        if (at < 0) return embedNumbers(start, ...rest);
        throw new ServiceError('context_length_exceeded', 'Too long.', { param: `input[${at}]`, facts: { tokens: 600, context: CONTEXT } });
      };
    }
    const { status, error, answer } = await ask({ input: numbered(400) });
    expect({ status, ...error }).toMatchObject({ status: 400, code: 'context_length_exceeded', param: 'input[200]' });
    expect(error['message']).toBe(
      "This model's maximum context length is 512 tokens, but 'input[200]' comes to 600. Texts are not cut: shorten it, or split it.",
    );
    expect(answer).not.toHaveProperty('data');
  });

  it('fail whole when a part fails, and end the others', async () => {
    for (const runner of runners) {
      runner.script = async (start, writer, signal) => {
        if (start.st.endsWith('_1')) throw new ServiceError('unsupported_content', 'The engine refuses it.');
        await pause(600_000, signal);
        return usageOf(0);
      };
    }
    const { status, error } = await ask({ input: numbered(256) });
    expect({ status, code: error['code'] }).toEqual({ status: 400, code: 'unsupported_content' });
    await until('the other parts end', () => runners.every(({ used }) => used === 0));
  });

  it('are repeated elsewhere when a worker fails before its first vector', async () => {
    const [first] = runners;
    first!.script = () => Promise.reject(new Error('It broke.'));
    const { status, answer } = await ask({ input: numbered(256) });
    expect({ status, vectors: answer.data.length }).toEqual({ status: 200, vectors: 256 });
  });

  it('are never given with a gap', async () => {
    for (const runner of runners) {
      runner.script = async (start, writer, signal) => {
        const [, ...messages] = start.req.messages;
        return embedNumbers({ ...start, req: { ...start.req, messages } }, writer, signal);
      };
    }
    const { status, error } = await ask({ input: ['1', '2'] });
    expect({ status, code: error['code'] }).toEqual({ status: 502, code: 'engine_error' });
  });

  it('end with their client, and start no further part', async () => {
    for (const runner of runners) {
      runner.script = async (_start, _writer, signal) => {
        await pause(600_000, signal);
        return usageOf(0);
      };
    }
    const leaving = new AbortController();
    const left = post(`${slug}/v1/embeddings`, { model: slug, input: numbered(2_048) }, { signal: leaving.signal });
    await until('all slots are taken', () => runners.every(({ used }) => used === 2));
    leaving.abort();
    await expect(left).rejects.toThrow(/abort/i);
    await until('the work has ended', () => runners.every(({ used }) => used === 0));
    expect(admitted()).toBe(4);
  });

  it('count against the limit of tokens', async () => {
    const { value } = rig.key(account.id, { limits: { tokens_per_minute: 950 } });
    const once = async (texts: number): Promise<number> => {
      const response = await post(`${slug}/v1/embeddings`, { model: slug, input: numbered(texts) }, { with: value });
      await response.text();
      return response.status;
    };
    // A gateway that has just started answers 503 until it knows what was used before.
    await until('the limits are known', async () => (await once(1)) === 200);
    expect([await once(100), await once(100), await once(100)]).toEqual([200, 200, 429]);
  });

  it('and conversations name each other’s endpoint', async () => {
    const chat = rig.deployment(account.id, { caps: ['tools'] });
    await until(
      'the deployment is known',
      async () => (await fetch(`${gw.url}/deployment-${chat.id}/v1/models`, { headers: { 'x-api-key': key } })).status === 200,
    );
    const refusal = async (path: string, body: object): Promise<unknown> => {
      const response = await post(path, body);
      const { error } = (await response.json()) as { error: { message: string } };
      return [response.status, error.message];
    };
    const messages = [{ role: 'user', content: 'Hi' }];
    const embeds = [400, 'This deployment makes embeddings: use /v1/embeddings.'];
    expect(await refusal(`${slug}/v1/chat/completions`, { model: slug, messages })).toEqual(embeds);
    expect(await refusal(`${slug}/v1/messages`, { model: slug, messages, max_tokens: 5 })).toEqual(embeds);
    expect(await refusal(`${slug}/v1/messages/count_tokens`, { model: slug, messages })).toEqual(embeds);
    expect(await refusal(`${slug}/v1/responses`, { model: slug, input: 'Hi' })).toEqual(embeds);
    expect(await refusal(`deployment-${chat.id}/v1/embeddings`, { model: `deployment-${chat.id}`, input: 'a' })).toEqual([
      400,
      'This deployment answers conversations: use /v1/chat/completions, /v1/messages or /v1/responses.',
    ]);
  });

  it('are not asked of a worker that does not know them', async () => {
    const { id } = rig.deployment(account.id, { caps: CAPS });
    const older = await rig.runner({ dep: id, script: answerInWords });
    const body = { model: `deployment-${id}`, input: '1' };
    await until('the deployment is known', async () => (await post(`deployment-${id}/v1/embeddings`, body)).status === 503);
    await rig.runner({ dep: id, script: embedNumbers, caps: CAPS });
    await until('the newer worker answers', async () => (await post(`deployment-${id}/v1/embeddings`, body)).status === 200);
    expect(older.admitted).toEqual([]);
  });

  it('above 64 MiB are refused before any work', async () => {
    const { id } = rig.deployment(account.id, { caps: ['embed', 'dimensions:4096'] });
    await until(
      'the deployment is known',
      async () => (await fetch(`${gw.url}/deployment-${id}/v1/models`, { headers: { 'x-api-key': key } })).status === 200,
    );
    const response = await post(`deployment-${id}/v1/embeddings`, { model: `deployment-${id}`, input: numbered(2_048) });
    expect({ status: response.status, body: await response.json() }).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_value', param: 'input', message: expect.stringContaining('base64') as string } },
    });
  });

  it('reach the official client as floats, whatever it asks for', async () => {
    const client = new OpenAI({ baseURL: `${gw.url}/${slug}/v1`, apiKey: key, maxRetries: 0 });
    for (const format of [{}, { encoding_format: 'float' as const }]) {
      const { data, usage } = await client.embeddings.create({ model: slug, input: ['4', '9'], ...format });
      close(data[0]?.embedding, vectorOf('4'));
      close(data[1]?.embedding, vectorOf('9'));
      expect(usage.total_tokens).toBe(2 * TEXT_TOKENS);
    }
    await expect(client.embeddings.create({ model: slug, input: [1, 2, 3] })).rejects.toBeInstanceOf(OpenAI.BadRequestError);
  });
});
