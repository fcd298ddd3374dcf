import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dropBody } from './drop-body.js';

const MIB = 1024 * 1024;

describe('dropBody', () => {
  let server: Server;
  let client: Socket;
  let received: string;
  let closed: Promise<void>;

  beforeEach(async () => {
    server = createServer((request, response) => {
      response.end('refused');
      dropBody(request);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    received = '';
    client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.on('data', (bytes: Buffer) => (received += bytes.toString()));
    client.on('error', () => undefined);
    closed = new Promise((resolve) => client.once('close', () => resolve()));
  });
  afterEach(async () => {
    client.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const answers = (): number => received.split('refused').length - 1;

  it('reads the rest and keeps the connection', async () => {
    const post = `POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${MIB}\r\n\r\n${' '.repeat(MIB)}`;
    client.write(post);
    client.write(post);
    while (answers() < 2) await new Promise(setImmediate);
    expect(client.destroyed).toBe(false);
  });

  it.each([
    ['is larger than any may be', `content-length: ${100 * MIB}\r\n\r\n${' '.repeat(4 * MIB)}`],
    ['comes in more pieces than any has', `transfer-encoding: chunked\r\n\r\n${'1\r\n \r\n'.repeat(20_000)}`],
  ])('ends the connection of a body that %s', async (_, rest) => {
    client.write(`POST / HTTP/1.1\r\nhost: x\r\n${rest}`);
    await closed;
    expect(answers()).toBeLessThanOrEqual(1);
  });
});
