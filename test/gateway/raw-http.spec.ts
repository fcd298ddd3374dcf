import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { GatewayRig, type RunningGateway, unknownKey } from './gateway-rig.js';
import { RawClient, rawRequest } from './raw-client.js';
import { answerInWords, answerSlowly, type ScriptedRunner } from './scripted-runner.js';

describe('bytes on the wire', () => {
  let rig: GatewayRig;
  let gw: RunningGateway;
  let runner: ScriptedRunner;
  let path: string;
  let key: string;
  let body: string;
  let good: string[];
  const clients: RawClient[] = [];

  beforeAll(async () => {
    rig = await GatewayRig.start();
    const account = rig.account();
    key = rig.key(account.id).value;
    const deployment = rig.deployment(account.id);
    runner = await rig.runner({ dep: deployment.id });
    gw = await rig.gateway({ config: { BODY_BYTES_MAX: '4096' } });
    path = `/deployment-${deployment.id}/v1/chat/completions`;
    body = JSON.stringify({ model: `deployment-${deployment.id}`, messages: [{ role: 'user', content: 'one two' }] });
    good = [`X-API-Key: ${key}`, 'Content-Type: application/json'];
    await rig.whenAnswering(gw, deployment, key);
  });
  afterAll(() => rig?.end());
  afterEach(() => {
    for (const client of clients.splice(0)) client.destroy();
    runner.script = answerInWords;
  });

  const open = async (): Promise<RawClient> => {
    const client = await RawClient.open(gw.gateway.port);
    clients.push(client);
    return client;
  };
  const say = async (bytes: string | Buffer): Promise<string> => (await open()).send(bytes).untilClosed();

  it.each<[string, () => string | Buffer, number]>([
    ['a length and chunks', () => rawRequest(path, [...good, 'Content-Length: 5', 'Transfer-Encoding: chunked'], '0\r\n\r\n'), 400],
    ['two lengths', () => rawRequest(path, [...good, 'Content-Length: 5', 'Content-Length: 6'], 'hello'), 400],
    ['the same length twice', () => rawRequest(path, [...good, 'Content-Length: 5', 'Content-Length: 5'], 'hello'), 400],
    ['length -1', () => rawRequest(path, [...good, 'Content-Length: -1']), 400],
    ['length +7', () => rawRequest(path, [...good, 'Content-Length: +7']), 400],
    ['length 0x7', () => rawRequest(path, [...good, 'Content-Length: 0x7']), 400],
    ['an unknown transfer coding', () => rawRequest(path, [...good, 'Transfer-Encoding: xchunked'], '0\r\n\r\n'), 400],
    ['a compressed transfer coding', () => rawRequest(path, [...good, 'Transfer-Encoding: gzip, chunked'], '0\r\n\r\n'), 400],
    ['a blank before the colon', () => rawRequest(path, ['X-Test : 1', ...good], body), 400],
    ['a folded header', () => rawRequest(path, ['X-Test: 1\r\n 2', ...good], body), 400],
    ['a NUL in a header', () => rawRequest(path, ['X-Test: a\0b', ...good], body), 400],
    ['no host', () => `POST ${path} HTTP/1.1\r\nContent-Length: 0\r\n\r\n`, 400],
    ['a path that is not ASCII', () => Buffer.from(`POST /deployment-\u00fc/v1 HTTP/1.1\r\nHost: x\r\n\r\n`, 'latin1'), 400],
    ['17 kB of headers', () => rawRequest(path, [`X-Test: ${'x'.repeat(17_000)}`, ...good], body), 431],
    ['HTTP/2 without asking', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['a TLS hello', () => Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03]), 400],
    ['an unknown method', () => rawRequest(path, good, body, 'FOO'), 400],
  ])('%s gets one plain refusal and the connection ends', async (_, bytes, status) => {
    const starts = runner.admitted.length;
    const answer = await say(bytes());
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    expect(answer).toMatch(/connection: close/i);
    expect(answer).toMatch(/x-request-id: req_/);
    expect(runner.admitted).toHaveLength(starts);
  });

  it.each<[string, () => string, number]>([
    ['two hosts', () => rawRequest(path, ['Host: other', ...good], body), 400],
    ['two content types', () => rawRequest(path, [...good, 'Content-Type: text/plain'], body), 400],
    ['101 headers', () => rawRequest(path, [...Array.from({ length: 101 }, (_, i) => `X-${i}: 1`), ...good], body), 431],
    ['2,000 short headers', () => rawRequest(path, [...Array.from({ length: 2_000 }, (_, i) => `a${i}:`), ...good], body), 431],
    ['a key twice', () => rawRequest(path, [`X-API-Key: ${key}`, ...good], body), 400],
    [
      'a bearer twice',
      () => rawRequest(path, ['Content-Type: application/json', `Authorization: Bearer ${key}`, `Authorization: Bearer ${key}`], body),
      400,
    ],
    ['TRACE', () => rawRequest(path, good, '', 'TRACE'), 405],
    ['an expectation of something else', () => rawRequest(path, [...good, 'Expect: foo'], body), 417],
    ['dots in the path', () => rawRequest(`/x/..${path}`, good, body), 404],
    ['a back-slash in the path', () => rawRequest(path.replace('/v1/', '\\v1\\'), good, body), 404],
    ['an asterisk', () => rawRequest('*', good, '', 'OPTIONS'), 404],
    ['a form', () => rawRequest(path, [`X-API-Key: ${key}`, 'Content-Type: multipart/form-data; boundary=x'], '--x--'), 400],
  ])('%s is refused by name', async (_, bytes, status) => {
    const starts = runner.admitted.length;
    const client = await open();
    const answer = await client.send(bytes()).untilReceived(/\r\n\r\n/);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(runner.admitted).toHaveLength(starts);
  });

  it('an absolute target is routed by its path alone', async () => {
    const client = await open();
    expect(await client.send(rawRequest(`http://evil.example${path}`, good, body)).untilReceived('"finish_reason":"stop"')).toMatch(
      /^HTTP\/1.1 200 /,
    );
  });

  it('HTTP/1.0 is answered and the connection ends', async () => {
    const request = rawRequest(path, good, body).replace('HTTP/1.1', 'HTTP/1.0');
    const answer = await say(request);
    expect(answer).toMatch(/^HTTP\/1.1 200 /);
    expect(answer).toMatch(/connection: close/i);
  });

  it('a body that is shorter than it was said to be starts nothing', async () => {
    const starts = runner.admitted.length;
    const client = await open();
    client.send(rawRequest(path, [...good, 'Content-Length: 4000'], body));
    client.socket.end();
    await client.untilClosed();
    expect(client.received).not.toMatch(/ 200 /);
    expect(runner.admitted).toHaveLength(starts);
  });

  it('100 Continue comes after the checks and before the body', async () => {
    const client = await open();
    const head = rawRequest(path, [...good, 'Expect: 100-continue', `Content-Length: ${body.length}`]);
    await client.send(head).untilReceived('HTTP/1.1 100 Continue\r\n\r\n');
    expect(await client.send(body).untilReceived('"finish_reason":"stop"')).toMatch(/HTTP\/1.1 200 /);
  });

  it.each<[string, () => string[], number]>([
    ['a bad key', () => [`X-API-Key: ${unknownKey('x')}`, 'Content-Type: application/json', 'Content-Length: 50'], 401],
    ['a length over the limit', () => [...good, 'Content-Length: 5000'], 413],
    ['a wrong type', () => [`X-API-Key: ${key}`, 'Content-Type: text/plain', 'Content-Length: 50'], 400],
  ])('%s is refused without 100 Continue, and the connection ends', async (_, headers, status) => {
    const answer = await say(rawRequest(path, [...headers(), 'Expect: 100-continue']));
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toMatch(/connection: close/i);
  });

  it('a body over the limit is refused by its length and by its bytes, and the answer arrives', async () => {
    const large = 'x'.repeat(1_000_000);
    expect(await say(rawRequest(path, good, large))).toMatch(/^HTTP\/1.1 413 [^]*"request_too_large"/);
    const chunked = `${large.length.toString(16)}\r\n${large}\r\n0\r\n\r\n`;
    expect(await say(rawRequest(path, [...good, 'Transfer-Encoding: chunked'], chunked))).toMatch(/^HTTP\/1.1 413 [^]*"request_too_large"/);
  });

  it('a refused request with a short body leaves the connection to the next request', async () => {
    const client = await open();
    await client
      .send(rawRequest(path, ['X-API-Key: nope', 'Content-Type: application/json'], body))
      .untilReceived(/ 401 [^]*"invalid_api_key"/);
    expect(await client.send(rawRequest(path, good, body)).untilReceived('"finish_reason":"stop"')).toMatch(/ 200 /);
  });

  it('a pipelined request is refused after the first was answered, and the connection ends', async () => {
    const starts = runner.admitted.length;
    const request = rawRequest(path, good, body);
    const answer = await say(request + request + request);
    expect(answer).toMatch(/^HTTP\/1.1 200 [^]*"finish_reason":"stop"[^]*HTTP\/1.1 400 [^]*connection: close/i);
    expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(2);
    expect(runner.admitted).toHaveLength(starts + 1);
  });

  it('a thousand pipelined streams are one', async () => {
    runner.script = answerSlowly(1_000, 10);
    const starts = runner.admitted.length;
    const client = await open();
    client.send(rawRequest(path, good, JSON.stringify({ ...(JSON.parse(body) as object), stream: true })).repeat(1_000));
    await client.untilClosed();
    expect(runner.admitted.length).toBeLessThanOrEqual(starts + 1);
  });

  it('a second request while the first is answered is refused, whenever it comes', async () => {
    runner.script = answerSlowly(20, 10);
    const client = await open();
    await client.send(rawRequest(path, good, JSON.stringify({ ...(JSON.parse(body) as object), stream: true }))).untilReceived('t3');
    client.send(rawRequest(path, good, body));
    const answer = await client.untilClosed();
    expect(answer).toMatch(/t19 [^]*\[DONE\][^]*HTTP\/1.1 400 /);
  });

  it('one after the other, a connection carries many requests', async () => {
    const client = await open();
    for (let i = 1; i <= 5; i += 1) {
      client.send(rawRequest(path, good, body));
      await client.untilReceived(new RegExp(`(?:finish_reason":"stop"[^]*){${i}}`));
    }
    expect(client.received.match(/HTTP\/1.1 200 /g)).toHaveLength(5);
  });

  it('a request that never ends is given up after its time', async () => {
    const headers = await open();
    headers.send('POST / HTTP/1.1\r\nHost: x\r\nX-Slow: ');
    expect(await headers.untilClosed(15_000)).toMatch(/^HTTP\/1.1 408 /);
  });

  it('every refusal of a key is the same, to the byte', async () => {
    const keys = [unknownKey('1'), 'svc_dep_short', `${key}x`, 'ein Schlüssel', `${key}, ${key}`, 'a\tb', '"quoted"', 'x'.repeat(10_000)];
    const bodies = new Set<string>();
    for (const bad of keys) {
      const client = await open();
      const answer = await client
        .send(rawRequest(path, [`Authorization: Bearer ${bad}`, 'Content-Type: application/json'], body))
        .untilReceived(/\}\}$/);
      expect(answer).toMatch(/^HTTP\/1.1 401 [^]*www-authenticate: Bearer/);
      bodies.add(answer.slice(answer.indexOf('\r\n\r\n')));
    }
    expect(bodies.size).toBe(1);
  });

  it('the query string and the key reach no log', async () => {
    const lines: string[] = [];
    const write = process.stdout.write.bind(process.stdout);
    process.stdout.write = (chunk: string) => {
      lines.push(String(chunk));
      return true;
    };
    try {
      const loud = await rig.gateway({ logLevel: 'debug' });
      const secret = `${loud.url}${path}?api_key=query-secret`;
      const answer = await fetch(secret, {
        method: 'POST',
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        body: body.replace('one two', 'prompt-secret'),
      });
      await answer.text();
      await expect.poll(() => lines.some((line) => line.includes('http.request'))).toBe(true);
    } finally {
      process.stdout.write = write;
    }
    const log = lines.join('');
    expect(log).toContain('"deployment_id"');
    for (const secret of ['query-secret', 'prompt-secret', key, key.slice(12, 40)]) expect(log).not.toContain(secret);
  });
});
