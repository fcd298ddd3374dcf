import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { ChunkedBody } from './chunked-body.js';

describe('a body in chunks', () => {
  let server: Server | undefined;
  let client: Socket | undefined;

  afterEach(async () => {
    client?.destroy();
    server?.closeAllConnections();
    await new Promise((resolve) => server?.close(resolve));
  });

  /** Answers each request by `respond`, and sends these bytes. */
  async function ask(
    request: string,
    respond: (body: ChunkedBody, response: ServerResponse, url: string) => Promise<void>,
  ): Promise<Socket> {
    server = createServer((message, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', date: 'now' });
      void respond(new ChunkedBody(response, () => response.emit('drained')), response, message.url ?? '');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.write(request);
    return client;
  }

  async function received(socket: Socket, until: (text: string) => boolean): Promise<string> {
    let text = '';
    for await (const piece of socket.setEncoding('utf8')) {
      text += String(piece);
      if (until(text)) break;
    }
    return text;
  }

  const get = (path: string, version = '1.1'): string => `GET ${path} HTTP/${version}\r\nhost: x\r\n\r\n`;
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('has the length of each piece in bytes', async () => {
    const socket = await ask(get('/'), async (body, response) => {
      for (const piece of ['first', 'plain', 'é中🙂', 'x'.repeat(300)]) {
        body.write(piece);
        await turn();
      }
      response.end('end');
    });
    const text = await received(socket, (all) => all.endsWith('0\r\n\r\n'));
    expect(text.slice(text.indexOf('\r\n\r\n') + 4)).toBe(
      `5\r\nfirst\r\n5\r\nplain\r\n9\r\né中🙂\r\n12c\r\n${'x'.repeat(300)}\r\n3\r\nend\r\n0\r\n\r\n`,
    );
  });

  it('keeps its order within one turn', async () => {
    const socket = await ask(get('/'), (body, response) => {
      for (let i = 0; i < 5; i += 1) body.write(String(i));
      response.end('5');
      return Promise.resolve();
    });
    const text = await received(socket, (all) => all.endsWith('0\r\n\r\n'));
    expect([...text.matchAll(/\r\n1\r\n(\d)(?=\r\n)/g)].map(([, digit]) => digit).join('')).toBe('012345');
  });

  it('of a pipelined request waits for the one before', async () => {
    const socket = await ask(get('/slow') + get('/fast'), async (body, response, url) => {
      for (let i = 0; i < 3; i += 1) {
        body.write(`${url}${i}`);
        await turn();
        // Long enough for the other request to be answered meanwhile.
        for (let turns = 0; url === '/slow' && turns < 50; turns += 1) await turn();
      }
      response.end();
    });
    const text = await received(socket, (all) => all.split('0\r\n\r\n').length > 2);
    expect([...text.matchAll(/\/(?:slow|fast)\d/g)].map(String)).toEqual(['/slow0', '/slow1', '/slow2', '/fast0', '/fast1', '/fast2']);
  });

  it('has no chunks in HTTP/1.0', async () => {
    const socket = await ask(get('/', '1.0'), async (body, response) => {
      body.write('a');
      await turn();
      body.write('b');
      response.end('c');
    });
    const text = await received(socket, () => false);
    expect(text).toMatch(/\r\n\r\nabc$/);
  });

  it('says when its client is behind, and when no more', async () => {
    const behind: boolean[] = [];
    const piece = 'x'.repeat(1_000_000);
    let pieces = 0;
    const socket = await ask(get('/'), async (body, response) => {
      while (!body.isBehind) {
        body.write(piece);
        pieces += 1;
        await turn();
      }
      behind.push(body.isBehind);
      await once(response, 'drained');
      behind.push(body.isBehind);
      response.end();
    });
    while (behind.length === 0) await turn();
    const text = await received(socket, (all) => all.endsWith('0\r\n\r\n'));
    expect(behind).toEqual([true, false]);
    expect(text.match(/f4240\r\n/g)).toHaveLength(pieces);
  });

  it('leaves nothing on a connection that lives on', async () => {
    let left: number | null = null;
    const socket = await ask(get('/'), async (body, response) => {
      const connection = response.socket!;
      const before = connection.listenerCount('drain');
      response.once('close', () => setImmediate(() => (left = connection.listenerCount('drain') - before)));
      body.write('a');
      await turn();
      body.write('b');
      response.end();
    });
    await received(socket, (all) => all.endsWith('0\r\n\r\n'));
    while (left === null) await turn();
    expect(left).toBe(0);
  });
});
