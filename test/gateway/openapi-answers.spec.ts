import { ServiceError } from '@slipway/contracts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openApiDocument } from '../../apps/gateway/src/openapi/openapi-document.js';
import { SURFACES } from '../../apps/gateway/src/surfaces/surfaces.js';
import { type GatewayRig, type RunningGateway, until } from './gateway-rig.js';
import { DOCUMENT, type Operation, resolved, validators } from './openapi-schemas.js';
import { SAID, saying, start, text } from './openapi-events.js';
import { answerInWords, countSeven, embedNumbers, type ScriptedRunner, usageOf } from './scripted-runner.js';
import { serve, type Served } from './serve.js';

type Fields = Readonly<Record<string, unknown>>;
const WITHIN_MS = 30_000;
const CONTRACTS = [
  {
    contract: 'chat',
    end: '/v1/chat/completions',
    request: 'ChatCompletionRequest',
    answer: 'ChatCompletion',
    event: 'ChatCompletionChunk',
    error: 'ChatError',
    failure: 'ChatError',
  },
  {
    contract: 'messages',
    end: '/v1/messages',
    request: 'MessageRequest',
    answer: 'Message',
    event: 'MessageStreamEvent',
    error: 'MessagesError',
    failure: 'MessagesError',
  },
  {
    contract: 'responses',
    end: '/v1/responses',
    request: 'ResponseRequest',
    answer: 'Response',
    event: 'ResponseStreamEvent',
    error: 'ResponsesError',
    failure: 'ResponseErrorEvent',
  },
] as const;

describe('OpenAPI document and gateway', () => {
  const schemaOf = validators(true);
  let rig: GatewayRig;
  let gw: RunningGateway;
  let runner: ScriptedRunner;
  let account: Served['account'];
  let slug: string;
  let key: string;

  beforeAll(async () => {
    ({ rig, gw, runner, account, slug, key } = await serve());
  }, 60_000);
  afterAll(() => rig?.end());
  afterEach(() => {
    runner.script = answerInWords;
    runner.count = countSeven;
  });

  const send = (path: string, headers: Record<string, string> = {}, init: RequestInit = {}): Promise<Response> =>
    fetch(`${gw.url}${path}`, { ...init, headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers } });
  const post = (path: string, body: Fields, headers: Record<string, string> = {}): Promise<Response> =>
    send(path, headers, { method: 'POST', body: JSON.stringify(body) });
  const bodyOf = (end: string, fields: Fields): Fields => ({
    model: slug,
    ...(end.includes('messages') && { max_tokens: 50 }),
    ...(end.includes('responses') ? { input: 'one two three' } : { messages: [{ role: 'user', content: 'one two three' }] }),
    ...fields,
  });
  const expectFits = (name: string, value: unknown): void => {
    const validate = schemaOf(name);
    validate(value);
    expect({ value, errors: validate.errors ?? [] }).toEqual({ value, errors: [] });
  };
  /** Checks that the document says of an endpoint that it answers so. @returns the name of the schema, if the document gives one. */
  const expectDescribed = (path: string, method: 'get' | 'post', response: Response): void => {
    const operation = DOCUMENT.paths[path]?.[method] as Operation;
    const answer = resolved(operation.responses[String(response.status)] ?? operation.responses['default']) as {
      headers?: object;
      content: object;
    };
    const type = response.headers.get('content-type')?.split(';')[0] ?? '';
    expect({ status: response.status, types: Object.keys(answer?.content ?? {}) }).toMatchObject({
      types: expect.arrayContaining([type]) as unknown,
    });
    const usual = new Set([
      'content-type',
      'cache-control',
      'content-length',
      'connection',
      'keep-alive',
      'date',
      'transfer-encoding',
      'x-accel-buffering',
      'www-authenticate',
      'allow',
    ]);
    const special = [...response.headers.keys()].filter((name) => !usual.has(name));
    expect(Object.keys(answer.headers ?? {})).toEqual(expect.arrayContaining(special));
  };
  const eventsOf = (sse: string): unknown[] =>
    sse
      .split('\n')
      .filter((line) => line.startsWith('data: ') && line !== 'data: [DONE]')
      .map((line) => JSON.parse(line.slice(6)) as unknown);

  describe.each(CONTRACTS)('in the contract $contract', ({ contract, end, request, answer, event, error, failure: failed }) => {
    const stoppedStatus = contract === 'responses' ? 400 : 409;
    const cases = SAID.flatMap(([what, said, asked]) => {
      const fields = asked[contract];
      return fields ? [[what, said, fields] as const] : [];
    });

    it.each(cases)('agree on the response of %s', async (_, said, fields) => {
      runner.script = saying(said);
      const body = bodyOf(end, fields);
      expectFits(request, body);
      const response = await post(`/${slug}${end}`, body);
      expect(response.status).toBe(200);
      expectDescribed(`/{deployment}${end}`, 'post', response);
      expectFits(answer, await response.json());
    });

    it.each(cases)('agree on the stream of %s', async (_, said, fields) => {
      runner.script = saying(said);
      const usage = contract === 'chat' ? { stream_options: { include_usage: true, continuous_usage_stats: true } } : {};
      const body = bodyOf(end, { ...fields, stream: true, ...usage });
      expectFits(request, body);
      const response = await post(`/${account.slug}/demo-7b${end}`, body);
      expectDescribed(`/{account}/{alias}${end}`, 'post', response);
      const events = eventsOf(await response.text());
      expect(events.length).toBeGreaterThan(1);
      for (const one of events) expectFits(event, one);
    });

    it('agree on failures in a stream and before', async () => {
      const failure = new ServiceError('engine_error', 'The engine failed.');
      runner.script = saying([start, text('Hel')], failure);
      const broken = await post(`/${slug}${end}`, bodyOf(end, { stream: true }));
      const reader = broken.body!.getReader();
      let received = '';
      for (;;) {
        const piece = await reader.read().catch(() => ({ done: true, value: undefined }));
        if (piece.done) break;
        received += new TextDecoder().decode(piece.value);
      }
      const events = eventsOf(received);
      for (const one of events) expectFits(event, one);
      expectFits(failed, events.at(-1));
      runner.script = saying([], failure);
      const refused = await post(`/${slug}${end}`, bodyOf(end, {}));
      expectDescribed(`/{deployment}${end}`, 'post', refused);
      expectFits(error, await refused.json());
    });

    it('agree on the errors of refused requests', async () => {
      const stopped = `deployment-${rig.deployment(account.id, { desired: 'stopped', state: 'stopped' }).id}`;
      const idle = `deployment-${rig.deployment(account.id).id}`;
      const statusOf = async (name: string): Promise<number> => (await post(`/${name}${end}`, bodyOf(end, { model: name }))).status;
      await until('the feed has come', async () => (await statusOf(stopped)) === stoppedStatus && (await statusOf(idle)) > 500, WITHIN_MS);
      const small = bodyOf(end, {});
      const refusals: (readonly [status: number, response: Response])[] = [
        [401, await fetch(`${gw.url}/${slug}${end}`, { method: 'POST', body: '{}' })],
        [404, await post(`/deployment-999${end}`, small)],
        [stoppedStatus, await post(`/${stopped}${end}`, small)],
        [contract === 'messages' ? 529 : 503, await post(`/${idle}${end}`, { ...small, model: idle })],
        [400, await post(`/${slug}${end}`, { ...small, messages: [], input: [] })],
        [400, await post(`/${slug}${end}`, { ...small, model: 'other' })],
        [400, await post(`/${slug}${end}`, small, { 'content-type': 'text/plain' })],
        [405, await send(`/${slug}${end}`)],
      ];
      for (const [status, response] of refusals) {
        expect(response.status).toBe(status);
        expectDescribed(`/{deployment}${end}`, 'post', response);
        expectFits(error, await response.json());
      }
    });

    it('agree on the headers of limits', async () => {
      const limited = rig.key(account.id);
      rig.keys.put(`key:${limited.id}`, {
        ...limited.record,
        limits: { requests_per_minute: 1, tokens_per_minute: 1_000_000 },
      });
      const ask = (): Promise<Response> => post(`/${slug}${end}`, bodyOf(end, {}), { 'x-api-key': limited.value });
      let first = await ask();
      await until(
        'the gateway knows of the key and its use',
        async () => first.status === 200 || (first = await ask()).status === 200,
        WITHIN_MS,
      );
      const refused = await ask();
      expect(refused.status).toBe(429);
      for (const response of [first, refused]) {
        expect(response.headers.get('x-ratelimit-limit-requests')).toBe('1');
        expectDescribed(`/{deployment}${end}`, 'post', response);
      }
      expectFits(error, await refused.json());
    });

    it('agree on the list and the model', async () => {
      const headers: Record<string, string> = contract === 'messages' ? { 'anthropic-version': '2023-06-01' } : {};
      const [one, many] = contract === 'messages' ? ['MessagesModel', 'MessagesModelList'] : ['ChatModel', 'ChatModelList'];
      const listed = await send(`/${slug}/v1/models`, headers);
      expectDescribed('/{deployment}/v1/models', 'get', listed);
      expectFits(many, await listed.json());
      const found = await send(`/${account.slug}/demo-7b/v1/models/demo-7b`, headers);
      expectDescribed('/{account}/{alias}/v1/models/{model}', 'get', found);
      expectFits(one, await found.json());
      const missing = await send(`/${slug}/v1/models/other`, headers);
      expectDescribed('/{deployment}/v1/models/{model}', 'get', missing);
      expectFits(error, await missing.json());
    });
  });

  it('agree on an answer of no tokens', async () => {
    const body = bodyOf('/v1/messages', { max_tokens: 0 });
    expectFits('MessageRequest', body);
    expectFits('Message', await (await post(`/${slug}/v1/messages`, body)).json());
  });

  it.each([false, true])('agree on counts of tokens, estimated: %j', async (estimated) => {
    runner.count = async (_start, writer) => {
      writer.events([start]);
      return { ...usageOf(0), usage: { prompt: 7, cached: 0, completion: 0, ...(estimated && { estimated }) } };
    };
    const body = { model: slug, messages: [{ role: 'user', content: 'one' }] };
    expectFits('TokenCountRequest', body);
    const response = await post(`/${slug}/v1/messages/count_tokens`, body);
    expectDescribed('/{deployment}/v1/messages/count_tokens', 'post', response);
    expectFits('TokenCount', await response.json());
    const refused = await post(`/${slug}/v1/messages/count_tokens`, { ...body, messages: 5 });
    expectDescribed('/{deployment}/v1/messages/count_tokens', 'post', refused);
    expectFits('MessagesError', await refused.json());
  });

  it('notice a member that the document does not have', () => {
    expect(schemaOf('TokenCount')({ input_tokens: 7, more: 1 })).toBe(false);
    expect(schemaOf('ChatError')({ error: { message: 'x', type: 'server_error', param: null } })).toBe(false);
  });

  describe('served by the gateway', () => {
    it('is open to everybody, and may be kept', async () => {
      const response = await fetch(`${gw.url}/openapi.json?x=1`);
      expect({ status: response.status, type: response.headers.get('content-type') }).toEqual({ status: 200, type: 'application/json' });
      expect(response.headers.get('cache-control')).toBe('public, max-age=300');
      expect(response.headers.get('request-id')).toMatch(/^req_/);
      expect(await response.json()).toEqual(JSON.parse(JSON.stringify(openApiDocument(SURFACES.all, 'http://gw.test'))));
      const known = await fetch(`${gw.url}/openapi.json`, { headers: { 'if-none-match': `W/${response.headers.get('etag')}` } });
      expect({ status: known.status, body: await known.text() }).toEqual({ status: 304, body: '' });
      const other = await fetch(`${gw.url}/openapi.json`, { headers: { 'if-none-match': '"other"' } });
      expect(other.status).toBe(200);
    });

    it('is read and nothing else', async () => {
      const response = await fetch(`${gw.url}/openapi.json`, { method: 'POST' });
      expect({ status: response.status, allow: response.headers.get('allow') }).toEqual({ status: 405, allow: 'GET, HEAD' });
      expect((await fetch(`${gw.url}/openapi.json/`)).status).toBe(404);
    });
  });

  it('agree on embeddings in both formats, and on their errors', async () => {
    const caps = ['embed', 'dimensions:4'];
    const { id } = rig.deployment(account.id, { caps });
    await rig.runner({ dep: id, script: embedNumbers, caps });
    const path = `/deployment-${id}/v1/embeddings`;
    const body = { model: `deployment-${id}`, input: ['1', '2'] };
    await until('it answers', async () => (await post(path, body)).status === 200, WITHIN_MS);
    for (const format of ['float', 'base64']) {
      const asked = { ...body, encoding_format: format };
      expectFits('EmbeddingsRequest', asked);
      const response = await post(path, asked);
      expectDescribed('/{deployment}/v1/embeddings', 'post', response);
      expectFits('Embeddings', await response.json());
    }
    const refused = await post(path, { ...body, input: [1, 2] });
    expectDescribed('/{deployment}/v1/embeddings', 'post', refused);
    expectFits('EmbeddingsError', await refused.json());
    expectFits('ChatModel', await (await send(`/deployment-${id}/v1/models/deployment-${id}`)).json());
  });
});
