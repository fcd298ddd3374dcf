import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Pace } from '../../libs/engine-http/src/read-shares.js';
import { UpstreamClient } from '../../libs/engine-http/src/upstream-client.js';
import { until } from '../testing/until.js';

const FRAMINGS = {
  'by the end of the connection': ['HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n', 'hello'],
  'as HTTP/1.0 does': ['HTTP/1.0 200 OK\r\n\r\n', 'hello'],
  'by its length': ['HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 5\r\n\r\n', 'hello'],
  'by chunks': ['HTTP/1.1 200 OK\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n', '5\r\nhello\r\n0\r\n\r\n'],
} as const;

/** Lets every reader wait until `goOn`. */
class Held implements Pace {
  readonly waiting: (() => void)[] = [];

  take(_bytes: number, _inside: boolean, goOn: () => void): boolean {
    this.waiting.push(goOn);
    return false;
  }
}

describe('an answer that is not read at the moment', () => {
  let server: Server;
  let answer: (socket: Socket) => void;
  let client: UpstreamClient;
  beforeEach(async () => {
    server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => answer(socket));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    client = new UpstreamClient({ url, credential: undefined, connections: 1, connectTimeoutMs: 5_000 });
  });
  afterEach(async () => {
    await client.close();
    server.close();
  });

  function ask(pace: Pace): { text: () => string; done: Promise<unknown>; abort: AbortController } {
    let text = '';
    const abort = new AbortController();
    const sink = {
      begins: () => true,
      bytes: (piece: Uint8Array) => {
        text += Buffer.from(piece).toString();
        return false;
      },
    };
    const done = client.converse('/chat/completions', '{}', { sink, signal: abort.signal, pace });
    done.catch(() => undefined);
    return { text: () => text, done, abort };
  }

  it.each(Object.entries(FRAMINGS))(
    'is whole where the engine closes the connection meanwhile and frames it %s',
    async (_, [head, body]) => {
      answer = (socket) => socket.end(head + body);
      const { text, done } = ask(new Held());
      // An assertion in undici would end the process here, and fail the run.
      await done;
      expect(text()).toBe('hello');
    },
  );

  it('fails where the connection breaks meanwhile', async () => {
    answer = (socket) => void socket.write(`${FRAMINGS['by chunks'][0]}5\r\nhello\r\n`, () => socket.resetAndDestroy());
    const { done } = ask(new Held());
    await expect(done).rejects.toThrow(/ECONNRESET|HTTP\/1\.1|closed/);
  });

  it('goes on where it stopped, byte for byte, long after the engine has closed the connection', async () => {
    const size = 3 * 1024 * 1024;
    const sent = Array.from({ length: size / 8 }, (_, nth) => String(nth).padStart(8, '0')).join('');
    answer = (socket) => socket.end(`${FRAMINGS['by the end of the connection'][0]}${sent}`);
    const pace = new Held();
    const { text, done } = ask(pace);
    while (text().length < size) {
      await until('a reader waits', () => pace.waiting.length > 0);
      pace.waiting.shift()?.();
    }
    pace.waiting.shift()?.();
    await done;
    expect(text() === sent).toBe(true);
  });

  it('leaves its connection as it was for the next request', async () => {
    const connections = new Set<Socket>();
    server.on('connection', (socket) => connections.add(socket));
    answer = (socket) => {
      const reply = `HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello`;
      socket.write(reply);
      socket.on('data', () => socket.write(reply));
    };
    for (let nth = 0; nth < 3; nth += 1) {
      const { text, done } = ask(new Held());
      await done;
      expect(text()).toBe('hello');
    }
    expect(connections.size).toBe(1);
  });

  it('can be given up', async () => {
    answer = (socket) => void socket.write(`${FRAMINGS['by chunks'][0]}5\r\nhello\r\n`);
    const { text, done, abort } = ask(new Held());
    await until('the first piece is there', () => text() === 'hello');
    abort.abort(new Error('the caller left'));
    await expect(done).rejects.toThrow('the caller left');
  });
});
