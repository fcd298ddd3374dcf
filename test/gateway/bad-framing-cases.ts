import { METHODS } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Door } from './door.js';
import { anywhere, closed, expectRow, kept, type Row, rowsAt } from './expect-row.js';
import { until } from './gateway-rig.js';
import type { PublicContract } from './contract-form.js';
import { rawRequest } from './raw-client.js';
import { answerSlowly, staySilent } from './scripted-runner.js';

const BODY_BYTES_MAX = 4_096;
const TLS_HELLO = Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03]);
const SYNTAX = [400, 'invalid_request'] as const;
const NUL = String.fromCharCode(0);

const request = (door: Door, ...headers: string[]): string => rawRequest(door.path(), door.headers(...headers), door.body());
const framed = (door: Door, framing: string[], body: string): string => rawRequest(door.path(), door.headers(...framing), body);
const by = (method: string, door: Door, path = door.path()): string => rawRequest(path, door.headers(), '', method);

/** Ambiguous framing: one hop could read it as one request and the next hop as two. */
const PARSER_ROWS: Row[] = [
  closed('a length and chunks', (d) => framed(d, ['Content-Length: 5', 'Transfer-Encoding: chunked'], '0\r\n\r\n'), SYNTAX),
  closed('two lengths that differ', (d) => framed(d, ['Content-Length: 5', 'Content-Length: 6'], 'hello'), SYNTAX),
  closed('the same length twice', (d) => framed(d, ['Content-Length: 5', 'Content-Length: 5'], 'hello'), SYNTAX),
  closed('two lengths in one header', (d) => framed(d, ['Content-Length: 5, 5'], 'hello'), SYNTAX),
  closed('length -1', (d) => framed(d, ['Content-Length: -1'], ''), SYNTAX),
  closed('length +7', (d) => framed(d, ['Content-Length: +7'], ''), SYNTAX),
  closed('length 0x7', (d) => framed(d, ['Content-Length: 0x7'], ''), SYNTAX),
  closed('a length beyond 64 bits', (d) => framed(d, [`Content-Length: ${'9'.repeat(30)}`], ''), SYNTAX),
  closed(
    'transfer codings chunked and identity',
    (d) => framed(d, ['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'], '0\r\n\r\n'),
    SYNTAX,
  ),
  closed('a blank before the colon', (d) => request(d, 'X-Test : 1'), SYNTAX),
  closed('a folded header', (d) => request(d, 'X-Test: 1\r\n 2'), SYNTAX),
  closed('a bare line feed in a header', (d) => request(d, 'X-Test: a\nX-Other: b'), SYNTAX),
  closed('a bare carriage return in a header', (d) => request(d, 'X-Test: a\rb'), SYNTAX),
  closed('a NUL in a header', (d) => request(d, `X-Test: a${NUL}b`), SYNTAX),
  closed('two Hosts on a path that is not there', (d) => rawRequest('/nothing', d.headers('Host: evil.example')), [404, 'not_found']),
  closed('HTTP/1.2', (d) => d.good().replace('HTTP/1.1', 'HTTP/1.2'), SYNTAX),
  closed('HTTP/2 without asking', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', SYNTAX),
  closed('HTTP/3.0', (d) => d.good().replace('HTTP/1.1', 'HTTP/3.0'), SYNTAX),
  closed('a TLS hello', () => TLS_HELLO, SYNTAX),
  closed('no HTTP at all', () => 'hello, is this the gateway?\r\n\r\n', SYNTAX),
  closed('a path that is not ASCII', () => Buffer.from('POST /deployment-\u00fc/v1 HTTP/1.1\r\nHost: x\r\n\r\n', 'latin1'), SYNTAX),
  closed('a header block of 17 kB', (d) => request(d, `X-Test: ${'x'.repeat(17_000)}`), [431, 'invalid_request']),
  closed('a path of 17 kB', (d) => d.at(d.path('x'.repeat(17_000))), [431, 'invalid_request']),
].map(anywhere);

/** The same, found when the path is known. */
const SYNTAX_ROWS: Row[] = [
  closed('transfer coding xchunked', (d) => framed(d, ['Transfer-Encoding: xchunked'], '0\r\n\r\n'), SYNTAX),
  closed('transfer codings gzip, chunked', (d) => framed(d, ['Transfer-Encoding: gzip, chunked'], '0\r\n\r\n'), SYNTAX),
  closed('a chunk whose size is no number', (d) => framed(d, ['Transfer-Encoding: chunked'], 'zz\r\n{}\r\n0\r\n\r\n'), SYNTAX),
  closed('no Host', (d) => d.good().replace('Host: gw.test\r\n', ''), SYNTAX),
  closed('two Hosts', (d) => request(d, 'Host: evil.example'), SYNTAX),
  closed('two content types', (d) => request(d, 'Content-Type: text/plain'), SYNTAX),
  closed('101 headers', (d) => request(d, ...Array.from({ length: 101 }, (_, i) => `X-${i}: 1`)), [431, 'invalid_request']),
  closed('2,000 short headers', (d) => request(d, ...Array.from({ length: 2_000 }, (_, i) => `a${i}:`)), [431, 'invalid_request']),
];

const METHOD_ROWS: Row[] = [
  ...['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND'].map((method) =>
    kept(method, (d) => by(method, d), [405, 'method_not_allowed']),
  ),
  { ...kept('HEAD', (d) => by('HEAD', d), [405, 'method_not_allowed']), headOnly: true },
  // Parsers learn methods: a newer Node knows QUERY, and then it gets what other methods get.
  METHODS.includes('QUERY')
    ? kept('QUERY', (d) => by('QUERY', d), [405, 'method_not_allowed'])
    : anywhere(closed('QUERY', (d) => by('QUERY', d), SYNTAX)),
  anywhere(closed('a method that does not exist', (d) => by('FOO', d), SYNTAX)),
  anywhere(kept('OPTIONS of the whole server', (d) => by('OPTIONS', d, '*'), [404, 'not_found'])),
  anywhere(kept('POST to a health check', (d) => d.at('/readyz'), [405, 'method_not_allowed'])),
];

/** Clients that wait for 100 Continue get an error before they send the body. */
const EXPECT_ROWS: Row[] = [
  closed('a bad key, and waits', (d) => d.with('X-API-Key: nope', 'Expect: 100-continue', 'Content-Length: 50').split('{')[0]!, [
    401,
    'invalid_api_key',
  ]),
  closed('a length over the limit, and waits', (d) => framed(d, ['Expect: 100-continue', `Content-Length: ${BODY_BYTES_MAX + 1}`], ''), [
    413,
    'request_too_large',
  ]),
  closed(
    'a foreign deployment, and waits',
    (d) => rawRequest(d.path(d.slugOf('foreign')), d.headers('Expect: 100-continue', 'Content-Length: 50')),
    [404, 'model_not_found'],
  ),
  closed(
    'a wrong type, and waits',
    (d) => rawRequest(d.path(), [`X-API-Key: ${d.key}`, 'Content-Type: text/plain', 'Expect: 100-continue', 'Content-Length: 50']),
    [400, 'unsupported_media_type'],
  ),
  closed('an expectation of something else', (d) => request(d, 'Expect: foo'), [417, 'expectation_failed']),
];

const SIZE_ROWS: Row[] = [
  kept('a body of one byte too many, by its length', (d) => framed(d, [], 'x'.repeat(BODY_BYTES_MAX + 1)), [413, 'request_too_large']),
  closed('a body of a megabyte, by its length', (d) => framed(d, [], 'x'.repeat(1_000_000)), [413, 'request_too_large']),
  closed(
    'a body of a megabyte, in chunks',
    (d) => framed(d, ['Transfer-Encoding: chunked'], `f4240\r\n${'x'.repeat(1_000_000)}\r\n0\r\n\r\n`),
    [413, 'request_too_large'],
  ),
  kept('an empty body', (d) => framed(d, [], ''), [400, 'invalid_json']),
  kept(
    'no length and no chunks',
    (d) => rawRequest(d.path(), d.headers('X-No-Content-Length: 0')).replace('Content-Length: 0\r\n\r\n', '\r\n'),
    [400, 'invalid_json'],
  ),
];

/** Malformed and unusual HTTP at the door of one contract. */
export function describeFraming(contract: PublicContract): void {
  describe(`HTTP framing at the ${contract.name} door`, () => {
    let door: Door;

    beforeAll(async () => {
      door = await Door.open({ contract, environment: { BODY_BYTES_MAX: String(BODY_BYTES_MAX) } });
    });
    afterAll(() => door?.end());
    afterEach(() => door.reset());

    it.each(rowsAt(contract, [...PARSER_ROWS, ...SYNTAX_ROWS, ...METHOD_ROWS, ...EXPECT_ROWS, ...SIZE_ROWS]))(
      '$sends: $refusal, and the connection is $connection',
      (row) => expectRow(door, row),
    );

    it('CONNECT ends the connection without a word', async () => {
      const client = (await door.connect()).send('CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n');
      expect(await client.untilClosed()).toBe('');
    });

    it.each(['Upgrade: websocket', 'Upgrade: h2c'])('a request for %s is ignored', async (upgrade) => {
      const { answers } = await door.converse(request(door, 'Connection: Upgrade', upgrade));
      expect(answers[0]?.status).toBe(200);
    });

    it('an absolute target is routed by path alone', async () => {
      const { answers } = await door.converse(door.at(`http://evil.example${door.path()}`));
      expect(answers[0]?.status).toBe(200);
    });

    it.each([true, false])('HTTP/1.0 is answered and its connection ends (stream: %s)', async (stream) => {
      const client = (await door.connect()).send(door.good({ stream }).replace('HTTP/1.1', 'HTTP/1.0'));
      const answer = await client.untilClosed();
      expect(answer).toMatch(/^HTTP\/1\.1 200 /);
      expect(answer).toMatch(/connection: close/i);
      expect(answer).not.toMatch(/transfer-encoding/i);
      expect(answer).toMatch(stream ? contract.streamEnd : contract.documentEnd);
    });

    it('bytes after a body cost its request the response', async () => {
      door.runner.script = staySilent;
      const { answers, rest } = await door.converse(`${door.good()}garbage\r\n\r\n`);
      expect({ answers: answers.map(({ status }) => status), rest }).toEqual({ answers: [400], rest: '' });
      await door.gateway.lineOf(answers[0]!.headers.get('x-request-id')!);
      await until('nothing runs', () => door.runner.used === 0);
    });

    it('a body shorter than declared starts nothing', async () => {
      const started = door.runner.admitted.length;
      const client = (await door.connect()).send(framed(door, ['Content-Length: 4000'], door.body()));
      client.socket.end();
      expect(await client.untilClosed()).toMatch(/^HTTP\/1\.1 400 /);
      expect(door.runner.admitted).toHaveLength(started);
    });

    it('100 Continue follows the checks, before the body', async () => {
      const body = door.body();
      const client = await door.connect();
      client.send(framed(door, ['Expect: 100-continue', `Content-Length: ${body.length}`], ''));
      expect(await client.untilReceived('\r\n\r\n')).toBe('HTTP/1.1 100 Continue\r\n\r\n');
      client.send(body);
      const { answers } = await door.answersOn(client, 2);
      expect(answers.map(({ status }) => status)).toEqual([100, 200]);
    });

    it('of three pipelined requests only the first runs', async () => {
      const started = door.runner.admitted.length;
      const { client } = await door.converse(door.good().repeat(3));
      await client.untilClosed();
      const { answers, rest } = await door.answersOn(client, 2);
      expect({ status: answers.map(({ status }) => status), rest }).toEqual({ status: [200, 400], rest: '' });
      contract.expectRefusal(answers[1]!, { status: 400, code: 'invalid_request' });
      expect(answers[1]?.headers.get('connection')).toBe('close');
      expect(door.runner.admitted).toHaveLength(started + 1);
    });

    it('a thousand pipelined streams are one', async () => {
      door.runner.script = answerSlowly(1_000, 10);
      const started = door.runner.admitted.length;
      const client = (await door.connect()).send(door.good({ stream: true }).repeat(1_000));
      await client.untilClosed();
      expect(door.runner.admitted.length - started).toBeLessThanOrEqual(1);
      await until('nothing runs', () => door.runner.used === 0);
    });

    it('a second request fails after the first response', async () => {
      door.runner.script = answerSlowly(20, 10);
      const client = (await door.connect()).send(door.good({ stream: true }));
      await client.untilReceived('t3 ');
      client.send(door.good());
      await client.untilClosed();
      const { answers } = await door.answersOn(client, 2);
      expect(answers.map(({ status }) => status)).toEqual([200, 400]);
      expect(contract.textOf(answers[0]!.body)).toMatch(/t19 $/);
      expect(answers[0]?.body).toMatch(contract.streamEnd);
    });

    it('a connection carries many requests, failed ones too', async () => {
      const client = await door.connect();
      const sent = [
        door.good(),
        door.with('X-API-Key: nope'),
        door.good({ stream: true }),
        by('GET', door),
        door.at('/nothing'),
        door.good(),
      ];
      for (const [i, bytes] of sent.entries()) {
        client.send(bytes);
        await door.answersOn(client, i + 1);
      }
      const { answers, rest } = await door.answersOn(client, sent.length);
      expect({ status: answers.map(({ status }) => status), rest }).toEqual({ status: [200, 401, 200, 405, 404, 200], rest: '' });
    });

    it('slow headers and silent clients end after 10 s', async () => {
      const [dripping, silent] = await Promise.all([door.connect(), door.connect()]);
      dripping.send('POST / HTTP/1.1\r\nHost: x\r\nX-Slow: ');
      const drip = setInterval(() => dripping.send('x'), 500);
      try {
        for (const client of [dripping, silent]) expect(await client.untilClosed(30_000)).toMatch(/^HTTP\/1\.1 408 [^]*"request_timeout"/);
      } finally {
        clearInterval(drip);
      }
    });
  });
}
