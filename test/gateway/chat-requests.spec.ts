import { CAPABILITIES, type CanonicalRequest } from '@slipway/contracts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { BROKEN_BODIES, WRONG_TYPES } from '../../conformance/src/chat/bodies.js';
import { type Body, user } from '../../conformance/src/chat/parts.js';
import { HONOURED } from './chat-accepted.js';

import { LACKING, REFUSED } from './chat-refused.js';
import { Door } from './door.js';
import { until } from './gateway-rig.js';
import { CONTRACTS } from './expect-row.js';
import type { RawAnswer } from './raw-answer.js';
import { rawRequest } from './raw-client.js';

describe('a chat request', () => {
  let door: Door;
  /** A deployment with plain text only, which needs no runner, and one with all capabilities. */
  let plain: string;

  beforeAll(async () => {
    door = await Door.open({ contract: CONTRACTS.find(({ name }) => name === 'chat')! });
    plain = `deployment-${door.rig.deployment(door.account.id, { caps: ['exact_usage'] }).id}`;
    await until('the gateway knows it', async () => (await send({ temperature: 3 }, plain)).status === 400, 30_000);
  });
  afterAll(() => door?.end());
  afterEach(() => door.reset());

  const post = async (body: string | Buffer, slug = door.slug): Promise<RawAnswer> =>
    (await door.converse(Buffer.concat([head(slug, Buffer.byteLength(body)), Buffer.from(body)]))).answers[0]!;
  const head = (slug: string, bytes: number): Buffer => Buffer.from(rawRequest(door.path(slug), door.headers(`Content-Length: ${bytes}`)));
  const send = (body: Body, slug = door.slug): Promise<RawAnswer> => post(JSON.stringify({ model: slug, messages: [user], ...body }), slug);
  const expectRefused = (answer: RawAnswer, status: number, { param, code }: { param: string | null; code: string }): void => {
    expect({ status: answer.status, body: JSON.parse(answer.body) }).toEqual({
      status,
      body: { error: { message: expect.stringMatching(/^[A-Z'].*\.$/) as string, type: 'invalid_request_error', param, code } },
    });
    expect(answer.headers.get('x-should-retry')).toBe('false');
  };

  it.each(REFUSED)('with %s names the field and reaches no worker', async (_, body, param, code) => {
    const started = door.runner.admitted.length;
    for (const stream of 'stream' in body || 'stream_options' in body ? [undefined] : [undefined, true]) {
      expectRefused(await send({ ...(stream && { stream }), ...body }), 400, { param, code });
    }
    expect(door.runner.admitted).toHaveLength(started);
  });

  it.each(LACKING)('with %s names the field an engine lacks', async (_, body, param, code) => {
    expectRefused(await send(body, plain), 400, { param, code });
  });

  it.each(HONOURED)('with %s reaches the worker in canonical form', async (_, body, canonical) => {
    door.runner.script = async (_start, writer) => {
      writer.events([
        { k: 'text', x: 'ok', n: 1 },
        { k: 'fin', r: 'stop' },
      ]);
      return { usage: { prompt: 1, cached: 0, completion: 1 }, times: { queue: 0, prefill: 0, total: 0 } };
    };
    expect((await send(body)).status).toBe(200);
    const base: CanonicalRequest = { messages: [{ role: 'user', content: [{ type: 'text', text: 'one two' }] }], sampling: {}, stop: [] };
    expect(door.runner.admitted.at(-1)?.req).toEqual({ ...base, ...canonical });
  });

  it('needs only capabilities of its deployment', async () => {
    const able = door.rig.deployment(door.account.id, { caps: [...CAPABILITIES] });
    const slug = `deployment-${able.id}`;
    await door.rig.runner({ dep: able.id });
    await until('it answers', async () => (await send({}, slug)).status === 200, 30_000);
    for (const [, body] of LACKING.filter(([, fields]) => !('n' in fields))) expect((await send(body, slug)).status).toBe(200);
  });

  it.each([
    ...BROKEN_BODIES,
    ['half a character', '{"model":$model,"messages":[{"role":"user","content":"\\ud800"}]}', 'invalid_unicode'] as const,
  ])('of %s is refused as a whole', async (_, body, code) => {
    expectRefused(await post(body.replace('$model', `"${door.slug}"`)), 400, { param: null, code });
  });

  it('with a harmless field twice uses the last', async () => {
    const body = `{"model":"${door.slug}","temperature":9,"temperature":0.5,"messages":[{"role":"user","content":"x"}]}`;
    expect((await post(body)).status).toBe(200);
    expect(door.runner.admitted.at(-1)?.req.sampling).toEqual({ temperature: 0.5 });
  });

  it('with a long body is 413, other types 400', async () => {
    const long = rawRequest(door.path(), door.headers('Content-Length: 8388609'));
    expectRefused((await door.converse(long)).answers[0]!, 413, { param: null, code: 'request_too_large' });
    for (const type of WRONG_TYPES) {
      const request = rawRequest(door.path(), [`X-API-Key: ${door.key}`, `Content-Type: ${type}`], door.body());
      expectRefused((await door.converse(request)).answers[0]!, 400, { param: null, code: 'unsupported_media_type' });
    }
  });

  it('by wrong method or path names the right one', async () => {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const { answers } = await door.converse(rawRequest(door.path(), door.headers(), '', method));
      expectRefused(answers[0]!, 405, { param: null, code: 'method_not_allowed' });
      expect(answers[0]?.headers.get('allow')).toBe('POST');
    }
    for (const [path, words] of [
      [`${door.path()}/`, 'a slash too many'],
      [door.path().replace('/v1/', '/v1//'), 'an empty part'],
      [door.path().replace('/v1/', '/v1/v1/'), '/v1 twice'],
      [door.path().replace('/v1/', '/'), 'lacks /v1'],
      [`${door.path()}/chat/completions`, '/chat/completions twice'],
      ['/v1/chat/completions', 'names no deployment'],
    ] as const) {
      const { answers } = await door.converse(door.at(path));
      expectRefused(answers[0]!, 404, { param: null, code: 'not_found' });
      expect(answers[0]?.body).toContain(words);
      expect(answers[0]?.body).toMatch(/base URL to http:\/\/[^ ]+\/v1\./);
      expect(answers[0]?.headers.get('location')).toBeNull();
    }
  });
});
