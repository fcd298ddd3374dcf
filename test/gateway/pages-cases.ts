import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { PublicContract } from './contract-form.js';
import { Door } from './door.js';
import type { RawAnswer } from './raw-answer.js';
import { rawRequest } from './raw-client.js';
import { until } from '../testing/until.js';

const PAGE = 'https://app.example';
const OTHER = 'https://app.example.evil';
/** What a page may read of each answer. */
const READABLE = [
  ...['x-request-id', 'request-id', 'retry-after', 'x-should-retry', 'x-slipway-schema-relaxed', 'x-slipway-token-count'],
  ...['x-ratelimit-limit-requests', 'x-ratelimit-remaining-tokens', 'x-ratelimit-reset-tokens'],
];

const corsOf = ({ headers }: RawAnswer): string[] => [...headers.keys()].filter((name) => name.startsWith('access-control-'));

/** What pages of other origins may do at the door of one contract. */
export const describePages = (contract: PublicContract): void =>
  void describe(`pages at the ${contract.name} door`, () => {
    let door: Door;

    beforeAll(async () => {
      door = await Door.open({ contract, environment: { CORS_ORIGINS: `http://localhost:3000,${PAGE}`, BODY_BYTES_MAX: '65536' } });
    });
    afterAll(() => door?.end());
    afterEach(() => door.reset());

    const preflight = async (path: string, origin: string, headers = 'authorization,content-type'): Promise<RawAnswer> => {
      const asked = [`Origin: ${origin}`, 'Access-Control-Request-Method: POST', `Access-Control-Request-Headers: ${headers}`];
      return (await door.converse(rawRequest(path, asked, '', 'OPTIONS'))).answers[0]!;
    };
    const answerTo = async (bytes: string): Promise<RawAnswer> => (await door.converse(bytes)).answers[0]!;

    it('may send what clients send, after a preflight', async () => {
      const sent = 'authorization,x-api-key,content-type,anthropic-version,anthropic-dangerous-direct-browser-access,x-stainless-os,x-new';
      for (const path of [door.path(), `/${door.slug}/v1/models`, '/acme/demo-7b/v1/messages/count_tokens', '/wrong/base']) {
        const { status, headers, body } = await preflight(path, PAGE, sent);
        expect({ status, body }).toEqual({ status: 204, body: '' });
        expect(headers.get('access-control-allow-origin')).toBe(PAGE);
        expect(headers.get('vary')).toBe('origin');
        expect(headers.get('access-control-allow-methods')).toBe('GET, HEAD, POST, DELETE');
        expect(headers.get('access-control-allow-headers')?.split(', ')).toEqual(sent.split(','));
        expect(Number(headers.get('access-control-max-age'))).toBeGreaterThan(0);
        expect(headers.has('access-control-allow-credentials')).toBe(false);
      }
    });

    it('continue on the connection of their preflight', async () => {
      const client = await door.connect();
      client.send(rawRequest(door.path(), [`Origin: ${PAGE}`, 'Access-Control-Request-Method: POST'], '', 'OPTIONS'));
      await door.answersOn(client, 1);
      client.send(rawRequest(door.path(), door.headers(`Origin: ${PAGE}`), door.body()));
      expect((await door.answersOn(client, 2)).answers.map(({ status }) => status)).toEqual([204, 200]);
    });

    it.each<[string, number, (d: Door) => string]>([
      ['an answer', 200, (d) => rawRequest(d.path(), d.headers(`Origin: ${PAGE}`), d.body())],
      ['a stream', 200, (d) => rawRequest(d.path(), d.headers(`Origin: ${PAGE}`), d.body({ stream: true }))],
      ['models', 200, (d) => rawRequest(`/${d.slug}/v1/models`, d.headers(`Origin: ${PAGE}`), '', 'GET')],
      ['the description', 200, () => rawRequest('/openapi.json', [`Origin: ${PAGE}`], '', 'GET')],
      ['no key', 401, (d) => rawRequest(d.path(), [`Origin: ${PAGE}`, 'Content-Type: application/json'], d.body())],
      ['a path without an endpoint', 404, (d) => rawRequest(`/${d.slug}/v2/x`, d.headers(`Origin: ${PAGE}`), d.body())],
      ['a path that cannot be read', 400, (d) => rawRequest(d.path(`${d.slug}%zz`), d.headers(`Origin: ${PAGE}`), d.body())],
      ['the target of no path', 404, (d) => rawRequest('*', d.headers(`Origin: ${PAGE}`), d.body())],
      ['another method', 405, (d) => rawRequest(d.path(), d.headers(`Origin: ${PAGE}`), '', 'PUT')],
      ['no JSON', 400, (d) => rawRequest(d.path(), d.headers(`Origin: ${PAGE}`), '{{{')],
      ['a field that is wrong', 400, (d) => rawRequest(d.path(), d.headers(`Origin: ${PAGE}`), d.body({ temperature: 'hot' }))],
      ['a length that is too large', 413, (d) => rawRequest(d.path(), d.headers(`Origin: ${PAGE}`, 'Content-Length: 99999999'), '')],
      ['chunks that are none', 400, (d) => rawRequest(d.path(), d.headers(`Origin: ${PAGE}`, 'Transfer-Encoding: chunked'), 'xyz\r\n')],
      ['a header that comes twice', 400, (d) => rawRequest(d.path(), d.headers(`Origin: ${PAGE}`, 'Content-Type: text/plain'), d.body())],
    ])('read the response to %s', async (_, status, bytes) => {
      const answer = await answerTo(bytes(door));
      expect(answer.status).toBe(status);
      expect(answer.headers.get('access-control-allow-origin')).toBe(PAGE);
      expect(answer.headers.get('vary')).toBe('origin');
      expect(answer.headers.get('access-control-expose-headers')?.split(', ')).toEqual(expect.arrayContaining(READABLE));
    });

    it('read errors of requests before the response', async () => {
      const { answers } = await door.converse(`${door.good()}${rawRequest(door.path(), door.headers(`Origin: ${PAGE}`), door.body())}`, 2);
      expect(answers.map(({ status, headers }) => [status, headers.get('access-control-allow-origin')])).toEqual([
        [200, null],
        [400, PAGE],
      ]);
    });

    it('read that a limit is reached, and until when', async () => {
      const { value } = door.rig.key(door.account.id, { limits: { requests_per_minute: 1 } });
      const request = rawRequest(door.path(), [`Origin: ${PAGE}`, `X-API-Key: ${value}`, 'Content-Type: application/json'], door.body());
      const answer = await until('the limit is reached', async () => {
        const one = await answerTo(request);
        return one.status === 429 && one;
      });
      expect(answer.headers.get('access-control-allow-origin')).toBe(PAGE);
      const exposed = answer.headers.get('access-control-expose-headers')?.split(', ');
      const limitHeaders = [...answer.headers.keys()].filter((name) => /^(x-ratelimit-|retry-after)/.test(name));
      expect(limitHeaders).toContain('x-ratelimit-limit-requests');
      expect(exposed).toEqual(expect.arrayContaining(limitHeaders));
    });

    it('get no header from other origins', async () => {
      const request = rawRequest(door.path(), door.headers(`Origin: ${OTHER}`), door.body());
      expect(corsOf(await answerTo(request))).toEqual([]);
      expect(corsOf(await answerTo(door.good()))).toEqual([]);
      const refused = await preflight(door.path(), OTHER);
      expect({ status: refused.status, cors: corsOf(refused) }).toEqual({ status: 405, cors: [] });
    });

    it('get errors for OPTIONS without a valid preflight', async () => {
      expect((await answerTo(rawRequest(door.path(), [`Origin: ${PAGE}`], '', 'OPTIONS'))).status).toBe(405);
      const twice = [`Origin: ${PAGE}`, 'Access-Control-Request-Method: POST', 'Host: other.test'];
      expect((await answerTo(rawRequest(door.path(), twice, '', 'OPTIONS'))).status).toBe(405);
    });
  });
