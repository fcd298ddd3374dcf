import { ServiceError } from '@slipway/contracts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type GatewayRig, type RunningGateway, until } from './gateway-rig.js';
import { readAnswers } from './raw-answer.js';
import { RawClient, rawRequest } from './raw-client.js';
import { answerInWords, pause, type ScriptedRunner, usageOf } from './scripted-runner.js';
import { serve, type Served } from './serve.js';

const WITHIN_MS = 30_000;
const IMPATIENT = { commitStreamMs: 300, keepAliveMs: 300, commitDocumentMs: 300 };

describe('the messages contract', () => {
  let rig: GatewayRig;
  let gw: RunningGateway;
  let impatient: RunningGateway;
  let runner: ScriptedRunner;
  let account: Served['account'];
  let deployment: Served['deployment'];
  let slug: string;
  let key: string;
  const clients: RawClient[] = [];

  beforeAll(async () => {
    ({ rig, gw, runner, account, slug, key, deployment } = await serve());
    impatient = await rig.gateway({ times: IMPATIENT });
    await rig.whenAnswering(impatient, deployment, key);
  }, 60_000);
  afterAll(() => rig?.end());
  afterEach(() => {
    runner.script = answerInWords;
    for (const client of clients.splice(0)) client.destroy();
  });

  const messages = [{ role: 'user', content: 'one two three' }];
  const ask = (fields: object = {}): object => ({ model: slug, max_tokens: 50, messages, ...fields });
  const post = (body: object, path = `${slug}/v1/messages`, headers: object = { 'x-api-key': key }, at = gw): Promise<Response> =>
    fetch(`${at.url}/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', ...headers },
      body: JSON.stringify(body),
    });
  const raw = async (body: object): Promise<RawClient> => {
    const client = await RawClient.open(gw.gateway.port);
    clients.push(client);
    const headers = [`X-API-Key: ${key}`, 'Content-Type: application/json'];
    return client.send(rawRequest(`/${slug}/v1/messages`, headers, JSON.stringify(body)));
  };
  const expectError = async (answer: Response, status: number, type: string, code: string): Promise<string> => {
    const body = (await answer.json()) as { error: { message: string } };
    const id = answer.headers.get('request-id');
    expect(id).toMatch(/^req_[A-Za-z0-9]{22}$/);
    expect({ status: answer.status, body }).toEqual({
      status,
      body: { type: 'error', error: { type, message: expect.any(String) as string, details: { error_code: code } }, request_id: id },
    });
    expect(answer.headers.get('x-request-id')).toBe(id);
    const isFinal = status < 500 && status !== 408 && status !== 429;
    expect(answer.headers.get('x-should-retry')).toBe(isFinal ? 'false' : null);
    return body.error.message;
  };

  it.each<[string, () => string, () => string, () => object]>([
    ['slug, with x-api-key', () => `${slug}/v1/messages`, () => slug, () => ({ 'x-api-key': key })],
    [
      'slug, with a bearer token, a newer version and betas',
      () => `${slug}/v1/messages?beta=true`,
      () => 'demo-7b',
      () => ({ authorization: `Bearer ${key}`, 'anthropic-version': '2026-10-21', 'anthropic-beta': 'unknown-2030-01-01' }),
    ],
    ['account and alias', () => `${account.slug}/demo-7b/v1/messages`, () => `${account.slug}/demo-7b`, () => ({ 'x-api-key': key })],
  ])('answers requests by %s', async (_, path, model, headers) => {
    const answer = await post(ask({ model: model() }), path(), headers());
    expect(answer.headers.get('request-id')).toMatch(/^req_/);
    expect(answer.headers.get('x-request-id')).toBe(answer.headers.get('request-id'));
    expect({ status: answer.status, body: await answer.json() }).toEqual({
      status: 200,
      body: {
        id: expect.stringMatching(/^msg_[A-Za-z0-9]{24}$/) as string,
        type: 'message',
        role: 'assistant',
        model: slug,
        content: [{ type: 'text', text: 'one two three' }],
        stop_reason: 'end_turn',
        stop_sequence: null,
        stop_details: null,
        usage: { input_tokens: 4, output_tokens: 3, cache_creation_input_tokens: 0, cache_read_input_tokens: 3 },
      },
    });
  });

  it('streams its events in order, and ends the response', async () => {
    const client = await raw(ask({ stream: true }));
    const received = await client.untilReceived(/message_stop"\}\n\n\r\n0\r\n\r\n$/, WITHIN_MS);
    const { headers, body } = readAnswers(received).answers[0]!;
    expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(headers.get('request-id')).toBe(headers.get('x-request-id'));
    const events = body.split('\n\n').slice(0, -1);
    const names = events.map((event) => /^event: (\w+)\ndata: \{"type":"(\w+)"/.exec(event)?.slice(1));
    for (const [name, type] of names.map((pair) => pair ?? ['none', 'other'])) expect(name).toBe(type);
    expect(new Set(names.map((pair) => pair?.[0]))).toEqual(
      new Set(['message_start', 'content_block_start', 'content_block_delta', 'content_block_stop', 'message_delta', 'message_stop']),
    );
    expect(events[0]).toContain('"usage":{"input_tokens":4,"output_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":3}');
    expect([...body.matchAll(/"text_delta","text":"([^"]*)"/g)].map((match) => match[1]).join('')).toBe('one two three');
    expect(events.slice(-3)).toEqual([
      'event: content_block_stop\ndata: {"type":"content_block_stop","index":0}',
      'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"input_tokens":4,"output_tokens":3,"cache_creation_input_tokens":0,"cache_read_input_tokens":3}}',
      'event: message_stop\ndata: {"type":"message_stop"}',
    ]);
  });

  it('has the prompt’s tokens in its first event', async () => {
    runner.script = async (_start, writer, signal) => {
      writer.events([{ k: 'start', prompt: 9, cached: 2 }]);
      await pause(1_000, signal);
      writer.events([
        { k: 'text', x: 'late', n: 1 },
        { k: 'fin', r: 'stop' },
      ]);
      return usageOf(1);
    };
    const body = await (await post(ask({ stream: true }), undefined, undefined, impatient)).text();
    expect(body).toMatch(/^(event: ping\ndata: \{"type":"ping"\}\n\n)+event: message_start\n/);
    expect(body).toContain('"input_tokens":7,"output_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":2');
  });

  it('passes the engine only the canonical request', async () => {
    const system = [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }];
    const rest = { system, temperature: 0.5, top_k: 5, stop_sequences: ['x'], max_tokens: 999, metadata: { user_id: 'u' }, made_up: 1 };
    expect((await post(ask(rest))).status).toBe(200);
    const { api, req } = runner.admitted.at(-1)!;
    expect({ api, req }).toEqual({
      api: 'messages',
      req: {
        messages: [
          { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
          { role: 'user', content: [{ type: 'text', text: 'one two three' }] },
        ],
        sampling: { temperature: 0.5, top_k: 5 },
        stop: ['x'],
        max_tokens: 100,
        reasoning: { enabled: false },
      },
    });
  });

  it('stops at max_tokens or a sequence, and says which', async () => {
    expect(await (await post(ask({ max_tokens: 2 }))).json()).toMatchObject({
      content: [{ type: 'text', text: 'one two ' }],
      stop_reason: 'max_tokens',
    });
    runner.script = async (_start, writer) => {
      writer.events([
        { k: 'text', x: 'so far', n: 2 },
        { k: 'fin', r: 'stop_sequence', stop: 'END' },
      ]);
      return usageOf(2);
    };
    expect(await (await post(ask({ stop_sequences: ['END'] }))).json()).toMatchObject({
      content: [{ type: 'text', text: 'so far' }],
      stop_reason: 'stop_sequence',
      stop_sequence: 'END',
    });
  });

  it('fails mid-stream with one error event, then closes', async () => {
    runner.script = async (_start, writer) => {
      writer.events([{ k: 'text', x: 'half', n: 1 }]);
      throw new ServiceError('engine_error', 'The engine died.');
    };
    const received = await (await raw(ask({ stream: true }))).untilClosed(WITHIN_MS);
    const id = /\r\nrequest-id: (req_\w+)\r\n/.exec(received)?.[1];
    const error = `{"type":"error","error":{"type":"api_error","message":"The engine died.","details":{"error_code":"engine_error"}},"request_id":"${id}"}`;
    expect(received.endsWith(`event: error\ndata: ${error}\n\n\r\n`)).toBe(true);
    expect(received).toContain('"text":"half"');
    expect(received).not.toMatch(/message_stop|message_delta|content_block_stop|DONE|\r\n0\r\n/);
  });

  it.each([
    { what: 'dies', error: new ServiceError('engine_error', 'Gone.'), status: 500, type: 'api_error', message: 'Gone.' },
    {
      what: 'finds the prompt too long',
      error: new ServiceError('context_length_exceeded', 'Too long.', { facts: { tokens: 150, context: 100 } }),
      status: 400,
      type: 'invalid_request_error',
      message: 'prompt is too long: 150 tokens > 100 maximum',
    },
  ])('has a status when the engine $what early', async ({ error, status, type, message }) => {
    runner.script = () => Promise.reject(error);
    for (const stream of [true, false]) expect(await expectError(await post(ask({ stream })), status, type, error.code)).toBe(message);
  });

  describe('refuses', () => {
    it.each<[string, object, string, string]>([
      ['a request without max_tokens', { max_tokens: undefined }, 'missing_required_parameter', 'max_tokens: Field required'],
      [
        'tools that run elsewhere',
        { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
        'unsupported_value',
        'tools.0.type: Only custom tools',
      ],
      ['another model', { model: 'gpt-4' }, 'model_mismatch', 'model: '],
      ['threads, so that clients fall back', { thread: { type: 'create' } }, 'thread_unsupported_request', 'thread: '],
    ])('%s', async (_, fields, code, message) => {
      expect(await expectError(await post(ask(fields)), 400, 'invalid_request_error', code)).toContain(message);
    });

    it('unknown or two different keys, with both headers named', async () => {
      await expectError(await post(ask(), undefined, { 'x-api-key': 'svc_dep_bad' }), 401, 'authentication_error', 'invalid_api_key');
      const both = await post(ask(), undefined, { 'x-api-key': key, authorization: 'Bearer svc_dep_bad' });
      expect(await expectError(both, 400, 'invalid_request_error', 'ambiguous_credentials')).toMatch(/X-API-Key.*Authorization/i);
    });

    it('a body that is no JSON, or too large', async () => {
      const headers = { 'x-api-key': key, 'content-type': 'application/json' };
      const send = (body: string): Promise<Response> => fetch(`${gw.url}/${slug}/v1/messages`, { method: 'POST', headers, body });
      await expectError(await send('{{'), 400, 'invalid_request_error', 'invalid_json');
      await expectError(await send(' '.repeat(9 * 1024 * 1024)), 413, 'request_too_large', 'request_too_large');
    });

    it('deployments that are stopped, unserved or missing', async () => {
      const stopped = `deployment-${rig.deployment(account.id, { desired: 'stopped', state: 'stopped' }).id}`;
      const idle = `deployment-${rig.deployment(account.id).id}`;
      const askAt = (name: string): Promise<Response> => post(ask({ model: name }), `${name}/v1/messages`);
      await until('the feed has come', async () => (await askAt(idle)).status === 529, WITHIN_MS);
      const overloaded = await askAt(idle);
      expect(overloaded.headers.get('retry-after')).toMatch(/^([1-9]|[12]\d|30)$/);
      await expectError(overloaded, 529, 'overloaded_error', 'deployment_unavailable');
      await expectError(await askAt(stopped), 409, 'invalid_request_error', 'deployment_stopped');
      await expectError(await askAt('deployment-9999'), 404, 'not_found_error', 'model_not_found');
    });

    it('wrong methods and paths in its own form', async () => {
      const get = await fetch(`${gw.url}/${slug}/v1/messages`);
      expect(get.headers.get('allow')).toBe('POST');
      await expectError(get, 405, 'invalid_request_error', 'method_not_allowed');
      for (const path of ['messages', 'v1/v1/messages', 'v1/messages/', 'messages/count_tokens']) {
        const message = await expectError(await post(ask(), `${slug}/${path}`), 404, 'not_found_error', 'not_found');
        expect(message).toMatch(new RegExp(`base URL to http://gw.test/${slug}(?: |/v1\\.)`));
      }
    });
  });
});
