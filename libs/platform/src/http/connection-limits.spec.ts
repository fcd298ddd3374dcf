import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConnectionLimits } from './connection-limits.js';

let server: Server;
let limits: ConnectionLimits;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
const sockets: Socket[] = [];

const listen = async (bounds: ConstructorParameters<typeof ConnectionLimits>[0]): Promise<void> => {
  limits = new ConnectionLimits(bounds);
  server = createServer((request, response) => answer(request, response));
  limits.watch(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
};

/** Opens a connection and waits until the server has it. */
async function open(localAddress = '127.0.0.1'): Promise<Socket> {
  const known = new Promise((resolve) => server.once('connection', resolve));
  const socket = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', localAddress });
  socket.on('error', () => undefined);
  sockets.push(socket);
  await known;
  return socket;
}

const closed = (socket: Socket): Promise<unknown> =>
  socket.closed ? Promise.resolve() : new Promise((resolve) => socket.once('close', resolve));

/** Sends a request and reads the first bytes of the answer. */
function ask(socket: Socket, path: string, account = 1): Promise<string> {
  const first = new Promise<string>((resolve) => {
    socket.once('data', (bytes: Buffer) => resolve(bytes.toString()));
    socket.once('close', () => resolve('closed'));
  });
  socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nx-account: ${account}\r\n\r\n`);
  return first;
}

beforeEach(() => {
  answer = (request, response) => {
    if (request.url === '/stream') {
      if (limits.hold(request, response, Number(request.headers['x-account'] ?? 1))) response.writeHead(200).write('begun');
      else response.end('share used');
      return;
    }
    response.end(limits.isExtra(request) ? 'extra' : 'served');
  };
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

describe('ConnectionLimits', () => {
  it('closes idle connections for new ones', async () => {
    await listen({ max: 2, perNetwork: 2, reserve: 1 });
    const [first, second] = [await open(), await open()];
    expect(await ask(first, '/')).toContain('served');
    const third = await open();
    await closed(second);
    expect(await ask(first, '/')).toContain('served');
    expect(await ask(third, '/')).toContain('served');
    expect(limits.size).toBe(2);
  });

  it('keeps connections that serve known callers', async () => {
    await listen({ max: 2, perNetwork: 2, reserve: 1 });
    const [first, second] = [await open(), await open()];
    await ask(first, '/stream', 1);
    await ask(second, '/stream', 2);
    const third = await open();
    expect(await ask(third, '/')).toContain('extra');
    const fourth = await open();
    await closed(third);
    expect(await ask(fourth, '/')).toContain('extra');
    first.destroy();
    const fifth = await new Promise<Socket>((resolve) => {
      const look = (): void => void (limits.size < 2 ? open().then(resolve) : setImmediate(look));
      look();
    });
    expect(await ask(fifth, '/')).toContain('served');
    expect(second.closed).toBe(false);
  });

  it('keeps at most three quarters for one account', async () => {
    await listen({ max: 8, perNetwork: 8, reserve: 1 });
    const answers: string[] = [];
    for (let i = 0; i < 7; i += 1) answers.push(await ask(await open(), '/stream', 1));
    expect(answers.filter((text) => text.includes('begun'))).toHaveLength(6);
    expect(answers.at(-1)).toContain('share used');
    expect(await ask(await open(), '/stream', 2)).toContain('begun');
    sockets[0]?.destroy();
    while (limits.size > 7) await new Promise(setImmediate);
    expect(await ask(await open(), '/stream', 1)).toContain('begun');
  });

  it('replaces connections within one network', async () => {
    await listen({ max: 10, perNetwork: 2, reserve: 1 });
    const other = await open('127.0.0.2');
    const flood = [await open(), await open(), await open(), await open()];
    await Promise.all([closed(flood[0] as Socket), closed(flood[1] as Socket)]);
    expect(await ask(other, '/')).toContain('served');
    expect(limits.size).toBe(3);
  });

  it('forgets closed connections', async () => {
    await listen({ max: 4, perNetwork: 4, reserve: 1 });
    const some = [await open(), await open()];
    await ask(some[0] as Socket, '/stream');
    for (const socket of some) socket.destroy();
    while (limits.size > 0) await new Promise(setImmediate);
    expect(await ask(await open(), '/')).toContain('served');
  });
});
