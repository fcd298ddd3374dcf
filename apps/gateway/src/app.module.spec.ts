import { createHash } from 'node:crypto';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { type AccountFeedRecord, type ApiKeyFeedRecord, type DeploymentFeedRecord, formatKey } from '@slipway/contracts';
import { createLogger, macOf, parsePeppers, Registry } from '@slipway/platform';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AppModule } from './app.module.js';
import { GuessLimiter } from './auth/guess-limiter.js';
import { KeyIndex } from './auth/key-index.js';
import { KeyVerifier } from './auth/key-verifier.service.js';
import { DeploymentIndex } from './deployments/deployment-index.js';
import { DeploymentResolver } from './deployments/deployment-resolver.service.js';
import { Connections } from './http/connections.js';
import { Cors } from './http/cors.js';
import { Exchanges } from './http/exchanges.js';
import { createHttpAdapter, prepareHttpApplication } from './http/http-application.js';
import { Uploads } from './http/uploads.js';
import { InferenceService } from './inference/inference.service.js';
import { RELAY_TIMES } from './inference/relay-times.js';
import { FREE_ENTRANCE } from './limits/limit-book.js';
import { MemoryShares } from './memory/memory-shares.js';
import { GatewayMetrics } from './observability/gateway-metrics.js';
import { RequestReader } from './reading/request-reader.js';
import { Router } from './routing/router.service.js';
import { RequestMeter } from './usage/request-meter.js';
import { WorkerTable } from './routing/worker-table.js';
import { SURFACES } from './surfaces/surfaces.js';

const key = formatKey('dep', createHash('sha256').update('app').digest());
const peppers = parsePeppers(`p:${'ab'.repeat(32)}`);
const URL_OK = '/deployment-10/v1/chat/completions';
const BODY = { model: 'deployment-10', messages: [{ role: 'user', content: 'x' }] };

describe('the HTTP door', () => {
  let app: NestFastifyApplication;
  let opened = 0;
  let notReady: string | null = null;

  beforeAll(async () => {
    const keys = new KeyIndex();
    const deployments = new DeploymentIndex();
    keys.put('account:1', { type: 'account', id: 1, slug: 'acme', state: 'active' } as AccountFeedRecord);
    const mac = macOf(key, peppers[0]!).toString('base64url');
    keys.put('key:1', {
      type: 'key',
      id: 1,
      account: 1,
      kind: 'dep',
      mac,
      pepper: 'p',
      state: 'active',
      expires: null,
      deployments: null,
    } as ApiKeyFeedRecord);
    const deployment = { type: 'deployment', id: 10, account: 1, desired: 'ready', state: 'ready', rev: 1, caps: [], context: null };
    deployments.put('deployment:10', deployment as unknown as DeploymentFeedRecord);
    deployments.put('deployment:11', { ...deployment, id: 11, desired: 'stopped' } as unknown as DeploymentFeedRecord);
    deployments.put('deployment:12', { ...deployment, id: 12, state: 'loading' } as unknown as DeploymentFeedRecord);

    const verifier = new KeyVerifier(keys, peppers, () => 'fresh');
    const metrics = new GatewayMetrics(new Registry());
    const router = new Router({ table: new WorkerTable(() => 0), queueWaitMs: 0, now: () => 0, random: () => 0 });
    const receiver = {
      open: () => {
        opened += 1;
        return { cancel: () => Promise.resolve(null) };
      },
    };
    const cors = new Cors(new Set());
    const connections = new Connections({ most: 100, perAddress: 0, perAccount: 0, log: createLogger('test', 'silent') });
    const parts = {
      keys: verifier,
      deployments: new DeploymentResolver(keys, deployments, { isReady: () => false, isCurrent: () => true }),
      guesses: new GuessLimiter(0, () => 0),
      limits: { enter: () => FREE_ENTRANCE },
      connections,
      uploads: new Uploads({
        memory: new MemoryShares({ bytes: 1_000_000, shareBytes: 1_000_000 }),
        perAccount: 9,
        bytesPerS: 0,
        now: () => 0,
      }),
      exchanges: new Exchanges({
        surfaces: SURFACES,
        metrics,
        log: createLogger('test', 'silent'),
        shutdown: () => 'no',
        cors,
        refused: () => undefined,
      }),
      cors,
      inference: new InferenceService({
        receiver,
        router,
        keys: verifier,
        metrics,
        reader: new RequestReader({ run: () => Promise.reject(new Error('No thread is started here.')) }, { imageHosts: [] }),
        usage: { claimOf: () => 'a-claim', open: (request) => new RequestMeter(request, { over: () => undefined }) },
        answers: new MemoryShares({ bytes: 1_000_000, shareBytes: 1_000_000 }),
        times: RELAY_TIMES,
      }),
      surfaces: SURFACES,
      settings: {
        ...{ baseUrl: 'https://api.example', bodyBytesMax: 2_000, notReady: () => notReady, shutdown: () => 'no' as const },
        securityContact: 'mailto:security@example.com',
      },
    };
    const module = await Test.createTestingModule({ imports: [AppModule.with(parts)] }).compile();
    app = module.createNestApplication<NestFastifyApplication>(createHttpAdapter(connections), { bodyParser: false, logger: false });
    prepareHttpApplication(app);
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
  });
  afterAll(() => app?.close());

  const send = async (url: string, headers: Record<string, string> = {}, payload: string | object = BODY, method = 'POST') => {
    const response = await app.inject({
      method: method as 'POST',
      url,
      headers: { 'content-type': 'application/json', ...headers },
      payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
    });
    const isJson = response.body !== '' && response.headers['content-type']?.toString().startsWith('application/json') === true;
    const error = isJson ? response.json<{ error?: { code: string } }>().error : undefined;
    return { status: response.statusCode, headers: response.headers, body: response.body, code: error?.code };
  };
  const bearer = { authorization: `Bearer ${key}` };

  it('is alive, and ready as long as the gateway is', async () => {
    expect(await send('/livez', {}, '', 'GET')).toMatchObject({ status: 200, body: 'ok' });
    expect(await send('/readyz', {}, '', 'GET')).toMatchObject({ status: 200 });
    notReady = 'keys are not loaded';
    expect(await send('/readyz', {}, '', 'GET')).toMatchObject({ status: 503, body: 'keys are not loaded' });
    expect(await send('/livez', {}, '', 'GET')).toMatchObject({ status: 200 });
    notReady = null;
  });

  it('names whom to tell of faults that concern security, without a key', async () => {
    const { status, headers, body } = await send('/.well-known/security.txt', {}, '', 'GET');
    expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(body).toMatch(/^Contact: mailto:security@example\.com\r\nExpires: \d{4}-/);
  });

  it.each(['/livez', '/readyz', '/openapi.json', '/.well-known/security.txt'])(
    'answers the methods on %s that it names as allowed',
    async (path) => {
      const [whole, head, refused] = await Promise.all(['GET', 'HEAD', 'POST'].map((method) => send(path, {}, '', method)));
      expect(refused).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
      expect([head?.status, head?.body]).toEqual([200, '']);
      for (const name of ['content-type', 'content-length']) expect(head?.headers[name]).toBe(whole?.headers[name]);
    },
  );

  it.each<[string, string, Record<string, string>, string | object, number, string]>([
    ['no key', URL_OK, {}, BODY, 401, 'missing_api_key'],
    ['a key in the query', `${URL_OK}?api_key=${key}`, {}, BODY, 401, 'missing_api_key'],
    ['a bad key before a bad path', '/deployment-99/v1/chat/completions', { 'x-api-key': 'nope' }, '{', 401, 'invalid_api_key'],
    ['two keys', URL_OK, { ...bearer, 'x-api-key': 'other' }, BODY, 400, 'ambiguous_credentials'],
    ['an unknown deployment', '/deployment-99/v1/chat/completions', bearer, '{', 404, 'model_not_found'],
    ['an encoded slash', '/deployment-10%2f..%2fx/v1/chat/completions', bearer, BODY, 404, 'model_not_found'],
    ['a NUL', '/deployment-10%00/v1/chat/completions', bearer, BODY, 404, 'model_not_found'],
    ['a slug of 9 kB', `/${'a'.repeat(9_000)}/v1/chat/completions`, bearer, BODY, 404, 'model_not_found'],
    [
      'a stopped deployment before a bad body',
      '/deployment-11/v1/chat/completions',
      { ...bearer, 'content-type': 'text/plain' },
      'x',
      409,
      'deployment_stopped',
    ],
    ['a loading deployment', '/deployment-12/v1/chat/completions', bearer, BODY, 503, 'deployment_unavailable'],
    ['a form', URL_OK, { ...bearer, 'content-type': 'application/x-www-form-urlencoded' }, 'a=b', 400, 'unsupported_media_type'],
    ['a charset', URL_OK, { ...bearer, 'content-type': 'application/json; charset=utf-16' }, BODY, 400, 'unsupported_media_type'],
    ['a bogus type', URL_OK, { ...bearer, 'content-type': 'json' }, BODY, 400, 'unsupported_media_type'],
    ['a compressed body', URL_OK, { ...bearer, 'content-encoding': 'gzip' }, BODY, 400, 'unsupported_media_type'],
    ['a body that is too large', URL_OK, bearer, { ...BODY, user: 'x'.repeat(2_000) }, 413, 'request_too_large'],
    ['an empty body', URL_OK, bearer, '', 400, 'invalid_json'],
    ['half a body', URL_OK, bearer, '{', 400, 'invalid_json'],
    ['a body that is no request', URL_OK, bearer, { messages: [] }, 400, 'missing_required_parameter'],
    ['another model', URL_OK, bearer, { ...BODY, model: 'gpt-4' }, 400, 'model_mismatch'],
    ['a malformed escape', '/deployment-10%zz/v1/chat/completions', bearer, BODY, 400, 'invalid_path'],
    ['an escape that is no UTF-8', '/deployment-10%ff/v1/chat/completions', bearer, BODY, 400, 'invalid_path'],
    ['a path in capitals', '/DEPLOYMENT-10/V1/Chat/Completions', bearer, BODY, 404, 'not_found'],
    ['a slash at the end', `${URL_OK}/`, bearer, BODY, 404, 'not_found'],
    ['a path parameter', `${URL_OK};x=1`, bearer, BODY, 404, 'not_found'],
    ['an empty segment', '//deployment-10/v1/chat/completions', bearer, BODY, 404, 'model_not_found'],
    ['/v1 twice', '/deployment-10/v1/v1/chat/completions', bearer, BODY, 404, 'not_found'],
    ['no /v1', '/deployment-10/chat/completions', bearer, BODY, 404, 'not_found'],
    ['the responses endpoint', '/deployment-10/v1/responses', bearer, BODY, 404, 'not_found'],
    ['the ops port’s metrics', '/metrics', bearer, BODY, 404, 'not_found'],
  ])('refuses %s without starting anything', async (...[, url, headers, payload, status, code]) => {
    const before = opened;
    const answer = await send(url, headers, payload);
    expect({ status: answer.status, code: answer.code }).toEqual({ status, code });
    expect(answer.headers['x-request-id']).toMatch(/^req_[A-Za-z0-9]{22}$/);
    expect(answer.headers['x-should-retry']).toBe(status < 500 ? 'false' : undefined);
    if (status === 503) expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    if (status === 401) expect(answer.headers['www-authenticate']).toBe('Bearer');
    expect(answer.body.length).toBeLessThan(4_096);
    expect(opened).toBe(before);
  });

  it.each(['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])('tells %s to use POST, without asking for a key', async (method) => {
    const answer = await send(URL_OK, {}, '', method);
    expect(answer.status).toBe(405);
    expect(answer.headers['allow']).toBe('POST');
  });

  it('gives one answer for what is missing, under any name', async () => {
    const missing = await send('/deployment-98/v1/chat/completions', bearer);
    const alias = await send('/other/alias/v1/chat/completions', bearer);
    expect(alias.body).toBe(missing.body);
  });

  it('has no routes but these', () => {
    const routes = app.getHttpAdapter().getInstance().printRoutes({ commonPrefix: false });
    const methods = routes.match(/\((?:GET|POST|HEAD|PUT|DELETE|PATCH|OPTIONS)[^)]*\)/g) ?? [];
    // Two health checks, the API's description, whom to tell of faults and four lists of models; three endpoints, by slug and by alias.
    expect(methods.toSorted()).toEqual([...Array<string>(8).fill('(GET, HEAD)'), ...Array<string>(6).fill('(POST)')]);
  });

  it('opens a stream for a good request', async () => {
    const before = opened;
    void app.inject({
      method: 'POST',
      url: URL_OK,
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      payload: JSON.stringify(BODY),
    });
    await expect.poll(() => opened).toBe(before + 1);
  });
});
