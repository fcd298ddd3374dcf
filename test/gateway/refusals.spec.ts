import { HttpAdapterHost } from '@nestjs/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from './gateway-rig.js';
import { serve, type Served } from './serve.js';

const CHAT = 'v1/chat/completions';

describe('the HTTP door', () => {
  let served: Served;
  let urls: Record<'ok' | 'stopped' | 'loading', string>;
  let body: object;

  beforeAll(async () => {
    served = await serve({ gateway: { config: { BODY_BYTES_MAX: '2000', SECURITY_CONTACT: 'mailto:security@example.com' } } });
    const { rig, account, slug } = served;
    const stopped = rig.deployment(account.id, { desired: 'stopped' });
    const loading = rig.deployment(account.id, { state: 'loading' });
    urls = { ok: `/${slug}/${CHAT}`, stopped: `/deployment-${stopped.id}/${CHAT}`, loading: `/deployment-${loading.id}/${CHAT}` };
    body = { model: slug, messages: [{ role: 'user', content: 'x' }] };
    await until('the deployments are known', async () => (await send(urls.stopped, bearer())).status === 409);
    await until('both of them', async () => (await send(urls.loading, bearer())).status === 503);
  });
  afterAll(() => served?.rig.end());

  const bearer = (): Record<string, string> => ({ authorization: `Bearer ${served.key}` });
  const send = async (path: string, headers: Record<string, string> = {}, payload: string | object = body, method = 'POST') => {
    const response = await fetch(served.gw.url + path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(!['GET', 'HEAD'].includes(method) && { body: typeof payload === 'string' ? payload : JSON.stringify(payload) }),
    });
    const text = await response.text();
    const isJson = text !== '' && response.headers.get('content-type')?.startsWith('application/json') === true;
    const error = isJson ? (JSON.parse(text) as { error?: { code: string } }).error : undefined;
    return { status: response.status, headers: Object.fromEntries(response.headers), body: text, code: error?.code };
  };

  it('names the security contact without a key', async () => {
    const { status, headers, body: text } = await send('/.well-known/security.txt', {}, '', 'GET');
    expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(text).toMatch(/^Contact: mailto:security@example\.com\r\nExpires: \d{4}-/);
  });

  it.each(['/livez', '/readyz', '/openapi.json', '/.well-known/security.txt'])('allows GET and HEAD alone on %s', async (path) => {
    const [whole, head, refused] = await Promise.all(['GET', 'HEAD', 'POST'].map((method) => send(path, {}, '', method)));
    expect(refused).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
    expect([whole?.status, head?.status, head?.body]).toEqual([200, 200, '']);
    for (const name of ['content-type', 'content-length']) expect(head?.headers[name]).toBe(whole?.headers[name]);
  });

  const OK = 'ok' as const;
  it.each<[string, keyof typeof urls | `/${string}`, 'key' | Record<string, string>, string | object | null, number, string]>([
    ['no key', OK, {}, null, 401, 'missing_api_key'],
    ['a bad key before a bad path', `/deployment-99/${CHAT}`, { 'x-api-key': 'nope' }, '{', 401, 'invalid_api_key'],
    ['an unknown deployment', `/deployment-9999/${CHAT}`, 'key', '{', 404, 'model_not_found'],
    ['an encoded slash', `/deployment-1%2f..%2fx/${CHAT}`, 'key', null, 404, 'model_not_found'],
    ['a NUL', `/deployment-1%00/${CHAT}`, 'key', null, 404, 'model_not_found'],
    ['a slug of 9 kB', `/${'a'.repeat(9_000)}/${CHAT}`, 'key', null, 404, 'model_not_found'],
    ['a loading deployment', 'loading', 'key', null, 503, 'deployment_unavailable'],
    ['an empty body', OK, 'key', '', 400, 'invalid_json'],
    ['half a body', OK, 'key', '{', 400, 'invalid_json'],
    ['a body that is no request', OK, 'key', { messages: [] }, 400, 'missing_required_parameter'],
    ['another model', OK, 'key', { model: 'gpt-4', messages: [{ role: 'user', content: 'x' }] }, 400, 'model_mismatch'],
    ['a malformed escape', `/deployment-1%zz/${CHAT}`, 'key', null, 400, 'invalid_path'],
    ['an escape that is no UTF-8', `/deployment-1%ff/${CHAT}`, 'key', null, 400, 'invalid_path'],
    ['a path in capitals', '/DEPLOYMENT-1/V1/Chat/Completions', 'key', null, 404, 'not_found'],
    ['/v1 twice', '/deployment-1/v1/v1/chat/completions', 'key', null, 404, 'not_found'],
    ['no /v1', '/deployment-1/chat/completions', 'key', null, 404, 'not_found'],
    ['an empty segment', `//deployment-1/${CHAT}`, 'key', null, 404, 'model_not_found'],
    ['an answer that is cancelled', '/deployment-1/v1/responses/resp_1/cancel', 'key', null, 404, 'not_found'],
    ['a POST to a stored answer', '/deployment-1/v1/responses/resp_1', 'key', null, 405, 'method_not_allowed'],
    ['the metrics of the ops port', '/metrics', 'key', null, 404, 'not_found'],
  ])('refuses %s before a worker hears of it', async (...[, place, headers, payload, status, code]) => {
    const before = served.runner.admitted.length;
    const path = place.startsWith('/') ? place : urls[place as keyof typeof urls];
    const answer = await send(path, headers === 'key' ? bearer() : headers, payload ?? body);
    expectRefused(answer, { status, code });
    expect(served.runner.admitted.length).toBe(before);
  });

  it.each<[string, Record<string, string>, string | object | null, number, string]>([
    ['two keys', { 'x-api-key': 'other' }, null, 400, 'ambiguous_credentials'],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 'a=b', 400, 'unsupported_media_type'],
    ['a charset', { 'content-type': 'application/json; charset=utf-16' }, null, 400, 'unsupported_media_type'],
    ['a bogus type', { 'content-type': 'json' }, null, 400, 'unsupported_media_type'],
    ['a compressed body', { 'content-encoding': 'gzip' }, null, 400, 'unsupported_media_type'],
    ['a body that is too large', {}, { user: 'x'.repeat(2_000) }, 413, 'request_too_large'],
  ])('refuses %s with a good key', async (...[, headers, payload, status, code]) => {
    expectRefused(await send(urls.ok, { ...bearer(), ...headers }, payload ?? body), { status, code });
  });

  it('checks the key, then the deployment, then the body', async () => {
    expectRefused(await send(urls.stopped, { ...bearer(), 'content-type': 'text/plain' }, 'x'), {
      status: 409,
      code: 'deployment_stopped',
    });
    expectRefused(await send(`${urls.ok}?api_key=${served.key}`), { status: 401, code: 'missing_api_key' });
    expectRefused(await send(`${urls.ok}/`, bearer()), { status: 404, code: 'not_found' });
    expectRefused(await send(`${urls.ok};x=1`, bearer()), { status: 404, code: 'not_found' });
  });

  it.each(['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])('answers %s with a hint at POST, without a key', async (method) => {
    const answer = await send(urls.ok, {}, '', method);
    expect(answer.status).toBe(405);
    expect(answer.headers['allow']).toBe('POST');
  });

  it('gives one response for missing things of any name', async () => {
    const missing = await send(`/deployment-98/${CHAT}`, bearer());
    const alias = await send(`/other/alias/${CHAT}`, bearer());
    expect(alias.body).toBe(missing.body);
  });

  it('has no routes but these', () => {
    const { httpAdapter } = served.gw.gateway.get<HttpAdapterHost>(HttpAdapterHost);
    const server = httpAdapter.getInstance<{ printRoutes(options: { commonPrefix: boolean }): string }>();
    const methods = server.printRoutes({ commonPrefix: false }).match(/\((?:GET|POST|HEAD|PUT|DELETE|PATCH|OPTIONS)[^)]*\)/g) ?? [];
    // Two health checks, the API's description, the security contact, four lists of models, and two of a stored response's items;
    // a stored response, by slug and by alias; five endpoints, by both.
    const stored = Array<string>(2).fill('(GET, HEAD, DELETE)');
    expect(methods.toSorted()).toEqual([...Array<string>(10).fill('(GET, HEAD)'), ...stored, ...Array<string>(10).fill('(POST)')]);
  });
});

interface Answer {
  readonly status: number;
  readonly code: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

function expectRefused(answer: Answer, { status, code }: { status: number; code: string }): void {
  expect({ status: answer.status, code: answer.code }).toEqual({ status, code });
  expect(answer.headers['x-request-id']).toMatch(/^req_[A-Za-z0-9]{22}$/);
  expect(answer.headers['x-should-retry']).toBe(status < 500 ? 'false' : undefined);
  if (status === 503) expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  if (status === 401) expect(answer.headers['www-authenticate']).toBe('Bearer');
  expect(answer.body.length).toBeLessThan(4_096);
}
