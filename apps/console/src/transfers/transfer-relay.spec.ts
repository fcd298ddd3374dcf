import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request as requestHttp, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ServiceError } from '@slipway/contracts';
import { afterEach, describe, expect, it } from 'vitest';
import { OwnOrigin } from '../http/own-origin.js';
import { BlobDoor } from './blob-door.js';
import { TransferRelay } from './transfer-relay.js';

const TICKET = 'ticket-of-one-upload-0001';
const MIB = 1024 * 1024;

const servers: Server[] = [];
afterEach(async () => {
  await Promise.all(
    servers.splice(0).map(async (server) => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    }),
  );
});

type Listener = (...exchange: Parameters<RequestListener>) => unknown;

async function serve(listener: Listener): Promise<string> {
  const server = createServer((...exchange) => void listener(...exchange));
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Bench {
  readonly url: string;
  readonly asked: string[];
  readonly notes: object[];
}

/** A request that the console answers by itself. */
interface Refused {
  readonly path: string;
  readonly method?: string;
  readonly origin?: string;
  readonly status: number;
}

/** A relay in front of a door. */
async function bench(door: Listener | string, floor?: { bytesPerSecond: number; windowMs: number }): Promise<Bench> {
  const address = typeof door === 'string' ? door : await serve(door);
  const [asked, notes]: [string[], object[]] = [[], []];
  const rpc = { call: () => (asked.push(address), Promise.resolve({ url: `${address}/` })) };
  const own = new OwnOrigin({ baseUrl: undefined, host: '127.0.0.1', port: 8081 });
  const relay = new TransferRelay(new BlobDoor(rpc as never, undefined), own, floor);
  const line = { note: (fields: object) => void notes.push(fields), cause: (cause: unknown) => void notes.push({ cause: String(cause) }) };
  const url = await serve((request, response) => void relay.serve({ request, response, line }));
  return { url, asked, notes };
}

async function digestOf(request: IncomingMessage): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const piece of request) {
    hash.update(piece as Buffer);
    bytes += (piece as Buffer).length;
  }
  return { bytes, sha256: hash.digest('hex') };
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const codeIn = async (answer: Response): Promise<[number, string]> => [
  answer.status,
  ((await answer.json()) as { error: { code: string } }).error.code,
];

describe('an upload through the console', () => {
  it('arrives byte for byte with its protocol headers alone', async () => {
    const file = randomBytes(3 * MIB);
    const { url } = await bench(async (request, response) => {
      const { bytes } = await digestOf(request);
      const seen = { method: request.method, path: request.url, offset: request.headers['upload-offset'], cookie: request.headers.cookie };
      response.writeHead(200, { 'upload-offset': String(bytes), 'tus-resumable': '1.0.0', 'set-cookie': 'a=b', 'x-door': '1' });
      response.end(JSON.stringify(seen));
    });
    const headers = { 'upload-offset': '0', 'content-type': 'application/offset+octet-stream', cookie: 'session=1' };
    const answer = await fetch(`${url}/uploads/${TICKET}`, { method: 'PATCH', headers, body: file });
    expect(await answer.json()).toEqual({ method: 'PATCH', path: `/uploads/${TICKET}`, offset: '0' });
    expect(answer.headers.get('upload-offset')).toBe(String(3 * MIB));
    expect([answer.headers.get('set-cookie'), answer.headers.get('x-door')]).toEqual([null, null]);
  });

  it('of unknown length arrives whole by a plain PUT', async () => {
    const pieces = Array.from({ length: 40 }, () => randomBytes(100_000));
    const { url } = await bench(async (request, response) => response.end(JSON.stringify(await digestOf(request))));
    const body = ReadableStream.from(pieces);
    const answer = await fetch(`${url}/uploads/${TICKET}`, { method: 'PUT', body, duplex: 'half' });
    expect(await answer.json()).toEqual({ bytes: 4_000_000, sha256: sha256(Buffer.concat(pieces)) });
  });

  it('waits while the door takes nothing', async () => {
    let letGo = (): void => undefined;
    const held = new Promise<void>((resolve) => (letGo = resolve));
    const { url } = await bench(async (request, response) => {
      await held;
      response.end(JSON.stringify(await digestOf(request)));
    });
    const total = 64 * MIB;
    const outward = requestHttp(`${url}/uploads/${TICKET}`, { method: 'PUT', headers: { 'content-length': total } });
    const piece = Buffer.alloc(MIB);
    let sent = 0;
    while (sent < total && outward.write(piece)) sent += piece.length;
    const answered = once(outward, 'response') as Promise<[IncomingMessage]>;
    // What the sockets and buffers of both sides take; the rest waits at the client.
    const drained = await Promise.race([once(outward, 'drain').then(() => 'drained'), settle(300).then(() => 'waits')]);
    letGo();
    if (drained === 'waits') await once(outward, 'drain');
    for (sent += piece.length; sent < total; sent += piece.length) if (!outward.write(piece)) await once(outward, 'drain');
    outward.end();
    const [response] = await answered;
    expect(JSON.parse(Buffer.concat(await response.toArray()).toString())).toMatchObject({ bytes: total });
  });

  it('that trickles in is ended', async () => {
    let onEnd = (_complete: boolean): void => undefined;
    const ended = new Promise<boolean>((resolve) => (onEnd = resolve));
    const { url, notes } = await bench(
      (request) => {
        request.on('error', () => undefined).on('close', () => onEnd(request.complete));
        request.resume();
      },
      { bytesPerSecond: 64 * 1024, windowMs: 60 },
    );
    const outward = requestHttp(`${url}/uploads/${TICKET}`, { method: 'PUT' });
    outward.write('{"messages":');
    const [response] = (await once(outward, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(408);
    expect(await ended).toBe(false);
    expect(notes).toContainEqual({ error: 'request_timeout' });
    outward.destroy();
  });

  it('with a void ticket gets the door’s answer at once', async () => {
    const { url } = await bench((_request, response) => {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":{"code":"upload_not_found","message":"No."}}');
    });
    const answer = await fetch(`${url}/uploads/${TICKET}`, { method: 'PATCH', body: Buffer.alloc(MIB) });
    expect(await codeIn(answer)).toEqual([404, 'upload_not_found']);
  });

  it.each([
    ['a page of another site', { path: `/uploads/${TICKET}`, origin: 'https://evil.example.com', status: 403 }],
    ['a ticket that is none', { path: '/uploads/short', status: 404 }],
    ['a path behind the ticket', { path: `/uploads/${TICKET}/more`, status: 404 }],
    ['a method that is none of it', { path: `/uploads/${TICKET}`, method: 'GET', status: 404 }],
    ['a change by a download', { path: `/downloads/${TICKET}`, status: 404 }],
  ])('of %s never reaches the door', async (_, { path, method = 'PUT', origin, status }: Refused) => {
    const { url, asked } = await bench((_request, response) => response.end());
    const headers = origin === undefined ? {} : { origin };
    expect((await fetch(`${url}${path}`, { method, headers, ...(method === 'PUT' && { body: 'x' }) })).status).toBe(status);
    expect(asked).toEqual([]);
  });

  it('says that the door is away, and asks where it went', async () => {
    const { url, asked, notes } = await bench('http://127.0.0.1:9');
    for (const round of [1, 2]) {
      const answer = await fetch(`${url}/uploads/${TICKET}`, { method: 'PATCH', body: 'x' });
      expect(answer.headers.get('retry-after')).toBe('2');
      expect(await codeIn(answer)).toEqual([503, 'unavailable']);
      expect(asked).toHaveLength(round);
    }
    expect(JSON.stringify(notes)).not.toContain(TICKET);
  });
});

describe('a download through the console', () => {
  it('is saved as a file and never guessed', async () => {
    const file = randomBytes(2 * MIB);
    const { url } = await bench((request, response) => {
      const headers = { 'content-type': 'text/html', 'content-disposition': 'inline', 'content-length': file.length };
      response.writeHead(request.headers.range === undefined ? 200 : 206, headers).end(file);
    });
    const answer = await fetch(`${url}/downloads/${TICKET}`, { headers: { range: 'bytes=0-' } });
    expect([answer.status, answer.headers.get('content-disposition')]).toEqual([206, 'attachment']);
    expect(sha256(new Uint8Array(await answer.arrayBuffer()))).toBe(sha256(file));
  });

  it('that breaks off is no complete file', async () => {
    const { url } = await bench((_request, response) => {
      response.writeHead(200, { 'content-length': 10 * MIB });
      response.write(Buffer.alloc(MIB), () => response.destroy());
    });
    const answer = await fetch(`${url}/downloads/${TICKET}`);
    await expect(answer.arrayBuffer()).rejects.toThrow('terminated');
  });
});

describe('the address of the door', () => {
  it('is asked for once a minute, and again after a failure', async () => {
    const clock = { now: 0 };
    const answers: (() => Promise<{ url: string }>)[] = [
      () => Promise.reject(new ServiceError('unavailable', 'Nobody serves it.')),
      () => Promise.resolve({ url: 'http://a/' }),
      () => Promise.resolve({ url: 'http://b' }),
    ];
    const door = new BlobDoor({ call: () => answers.shift()?.() } as never, undefined, () => clock.now);
    await expect(door.address()).rejects.toThrow('Nobody');
    expect(await Promise.all([door.address(), door.address()])).toEqual(['http://a', 'http://a']);
    clock.now = 60_000;
    expect(await door.address()).toBe('http://b');
  });
});

const settle = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
