import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { CanonicalRequest } from '@slipway/contracts';
import { HostList } from '@slipway/platform';
import { chatChunk } from '@slipway/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FLAVOURS } from '../../libs/engine-http/src/flavour.js';
import { ImageFetcher, type ImageLimits, ImageRoom } from '../../libs/engine-http/src/image-fetcher.js';
import { bodyOf, prepareRequest, withImages } from '../../libs/engine-http/src/prepared-request.js';
import { ask, EngineRun, run, until } from './engine-run.js';
import { UpstreamBench } from './upstream-bench.js';

const tls = (name: string): string => readFileSync(fileURLToPath(new URL(`../worker/tls/localhost.${name}.pem`, import.meta.url)), 'utf8');
const PNG = Buffer.from('89504e470d0a1a0a0000', 'hex');
const PNG_URL = `data:image/png;base64,${PNG.toString('base64')}`;

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const sends =
  (body: Uint8Array, status = 200): Handler =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'image/png' }).end(body);
  };
const redirects =
  (location: string): Handler =>
  (_request, response) => {
    response.writeHead(302, { location }).end();
  };

let server: Server;
let port: number;
let asked: string[];
const paths = new Map<string, Handler>();
const fetchers: ImageFetcher[] = [];

beforeEach(async () => {
  asked = [];
  server = createServer({ key: tls('key'), cert: tls('cert') }, (request, response) => {
    asked.push(request.url ?? '');
    (paths.get(request.url ?? '') ?? sends(Buffer.alloc(0), 404))(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
});
afterEach(async () => {
  await Promise.all(fetchers.splice(0).map((fetcher) => fetcher.close()));
  paths.clear();
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
});

/** A fetcher that trusts the test's server, by default wherever it listens. */
function fetcherFor(
  hosts: readonly string[],
  limits: Partial<ImageLimits> = {},
  mayConnect = (_address: string): boolean => true,
): ImageFetcher {
  const fetcher = new ImageFetcher({ hosts: new HostList(hosts), limits, mayConnect, ca: tls('cert') });
  fetchers.push(fetcher);
  return fetcher;
}

const never = new AbortController().signal;
const at = (path: string): string => `https://localhost:${port}${path}`;
const SERVER = { model: 'm', flavour: 'vllm' as const, caps: FLAVOURS.vllm.caps };
const REFUSED = { code: 'unsupported_content', param: 'messages' };

describe('images that requests name by address', () => {
  it('are fetched from hosts on the list, over redirects too, and go to engines as data', async () => {
    paths.set('/a.png', sends(PNG)).set('/moved?x=1', redirects('/a.png'));
    const fetcher = fetcherFor(['localhost']);
    const request: CanonicalRequest = {
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'S' }] },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'x' },
            { type: 'image', url: at('/moved?x=1') },
            { type: 'image', url: 'data:image/gif;base64,AA' },
          ],
        },
      ],
      sampling: {},
      stop: [],
    };
    const prepared = prepareRequest(request, SERVER);
    const pieces = await withImages(prepared, (address) => fetcher.fetch(address, never));
    const body = JSON.parse(Buffer.concat(bodyOf(pieces, 7) as Uint8Array[]).toString('utf8')) as Record<string, unknown>;
    expect(body).toMatchObject({ model: 'm', max_tokens: 7 });
    expect((body['messages'] as { content: unknown }[])[1]?.content).toEqual([
      { type: 'text', text: 'x' },
      { type: 'image_url', image_url: { url: PNG_URL } },
      { type: 'image_url', image_url: { url: 'data:image/gif;base64,AA' } },
    ]);
    expect(asked).toEqual(['/moved?x=1', '/a.png']);
  });

  it.each([
    ['PNG', PNG, 'image/png'],
    ['JPEG', Buffer.from('ffd8ffe000', 'hex'), 'image/jpeg'],
    ['GIF', Buffer.from('GIF89a..', 'latin1'), 'image/gif'],
    ['WebP', Buffer.from('RIFF....WEBPVP8', 'latin1'), 'image/webp'],
  ])('are known as %s by their bytes, whatever the server calls them', async (_name, bytes, mime) => {
    paths.set('/i', sends(bytes));
    expect(await fetcherFor(['localhost']).fetch(at('/i'), never)).toBe(`data:${mime};base64,${bytes.toString('base64')}`);
  });

  it('are not fetched from hosts that are not on the list, not over http, and not by a redirect to either', async () => {
    paths.set('/a.png', sends(PNG));
    paths.set('/out', redirects('https://elsewhere.example/a.png'));
    paths.set('/plain', redirects(`http://localhost:${port}/a.png`));
    paths.set('/inside', redirects('https://169.254.169.254/latest'));
    await expect(fetcherFor(['images.example']).fetch(at('/a.png'), never)).rejects.toMatchObject(REFUSED);
    await expect(fetcherFor([]).fetch(at('/a.png'), never)).rejects.toMatchObject(REFUSED);
    expect(asked).toEqual([]);
    const fetcher = fetcherFor(['localhost', '169.254.169.254'], {}, (address) => !address.startsWith('169.'));
    for (const path of ['/out', '/plain', '/inside']) await expect(fetcher.fetch(at(path), never)).rejects.toMatchObject(REFUSED);
    await expect(fetcher.fetch(`http://localhost:${port}/a.png`, never)).rejects.toMatchObject(REFUSED);
    expect(asked).toEqual(['/out', '/plain', '/inside']);
  });

  it('are not fetched from a name that leads inside, or an address that is inside', async () => {
    paths.set('/a.png', sends(PNG));
    const fetcher = new ImageFetcher({ hosts: new HostList(['localhost', '127.0.0.1', '[::1]']), ca: tls('cert') });
    fetchers.push(fetcher);
    for (const host of ['localhost', '127.0.0.1', '[::1]', '2130706433', '0x7f.1']) {
      await expect(fetcher.fetch(`https://${host}:${port}/a.png`, never)).rejects.toMatchObject(REFUSED);
    }
    expect(asked).toEqual([]);
  });

  it('are bounded in size, in time and in redirects', async () => {
    paths.set('/large', sends(Buffer.concat([PNG, Buffer.alloc(2_000)])));
    paths.set('/slow', (_request, response) => void response.writeHead(200).write(PNG));
    paths.set('/loop', redirects('/loop'));
    const bounded = fetcherFor(['localhost'], { bytes: 1_000, redirects: 2 });
    await expect(bounded.fetch(at('/large'), never)).rejects.toMatchObject(REFUSED);
    await expect(bounded.fetch(at('/loop'), never)).rejects.toMatchObject(REFUSED);
    expect(asked).toEqual(['/large', '/loop', '/loop', '/loop']);
    await expect(fetcherFor(['localhost'], { timeMs: 300 }).fetch(at('/slow'), never)).rejects.toMatchObject(REFUSED);
  });

  it('are refused when they are none, are not there, or are too many, without a word of their address', async () => {
    paths.set('/page', sends(Buffer.from('<html>'))).set('/gone', sends(PNG, 404));
    const fetcher = fetcherFor(['localhost']);
    for (const path of ['/page', '/gone', '/secret']) {
      const refused = await fetcher.fetch(at(path), never).catch((error: unknown) => error);
      expect(refused).toMatchObject(REFUSED);
      expect((refused as Error).message).not.toMatch(/localhost|secret/);
    }
    const content = Array.from({ length: 17 }, () => ({ type: 'image' as const, url: at('/a') }));
    expect(() => prepareRequest(ask('', { messages: [{ role: 'user', content }] }), SERVER)).toThrow(expect.objectContaining(REFUSED));
  });

  it('are bounded for a request, for an account and for all, before their bytes are kept, until they are given back', async () => {
    paths.set('/a', sends(Buffer.concat([PNG, Buffer.alloc(990)])));
    const fetcher = fetcherFor(['localhost']);
    const room = new ImageRoom({ perRequest: 2_500, perAccount: 3_500, inAll: 5_500 });
    const fetchFor = (hold: ReturnType<ImageRoom['open']>): Promise<string> => fetcher.fetch(at('/a'), never, (bytes) => hold.take(bytes));
    const [one, same, other] = [room.open(1), room.open(1), room.open(2)];
    await fetchFor(one);
    await fetchFor(one);
    await expect(fetchFor(one)).rejects.toMatchObject({ code: 'request_too_large' });
    await fetchFor(same);
    await expect(fetchFor(same)).rejects.toMatchObject({ code: 'overloaded', retryAfterS: 2 });
    await fetchFor(other);
    await fetchFor(other);
    await expect(fetchFor(room.open(3))).rejects.toMatchObject({ code: 'overloaded' });
    for (const hold of [one, same, other]) hold.release();
    const later = room.open(3);
    await fetchFor(later);
    await fetchFor(later);
    later.release();
  });

  it('do not delay a caller that left', async () => {
    paths.set('/slow', (_request, response) => void response.writeHead(200).write(PNG));
    const left = new AbortController();
    const fetched = fetcherFor(['localhost']).fetch(at('/slow'), left.signal);
    left.abort(new Error('left'));
    await expect(fetched).rejects.toThrow('left');
  });

  describe('at an engine', () => {
    const bench = new UpstreamBench();
    const showing = (url: string) => ask('', { messages: [{ role: 'user', content: [{ type: 'image', url }] }] });

    it('never reach it as addresses', async () => {
      for (const imageHosts of [undefined, ['localhost']]) {
        const engine = await bench.loaded({ imageHosts });
        await expect(run(engine, showing(at('/a.png')))).rejects.toMatchObject(REFUSED);
        expect(engine.current()).toEqual({ running: 0, queued: 0 });
      }
      expect(bench.upstream.chats).toEqual([]);
    });

    it('are fetched only in a slot', async () => {
      const engine = await bench.loaded({ imageHosts: ['localhost'], slots: 1 });
      bench.upstream.answer = () => ({ steps: [chatChunk({ content: 'x' }), { hang: true }] });
      const first = new EngineRun(engine, ask('Hi'));
      await until('the slot is taken', () => first.text === 'x');
      const second = new EngineRun(engine, showing(at('/a.png')));
      await until('it waits', () => engine.current().queued === 1);
      first.abort();
      await expect(second.usage).rejects.toMatchObject(REFUSED);
      expect(engine.current()).toEqual({ running: 0, queued: 0 });
    });

    it('reach it as data where they come as data', async () => {
      await run(await bench.loaded(), showing(PNG_URL));
      expect(bench.upstream.chats[0]?.['messages']).toEqual([
        { role: 'user', content: [{ type: 'image_url', image_url: { url: PNG_URL } }] },
      ]);
    });
  });
});
