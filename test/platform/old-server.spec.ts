import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { connectNats, createLogger, type NatsConnection } from '@slipway/platform';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../testing/until.js';

/** A nats-server of this version that sends INFO, answers pings and ignores everything else. */
function serverOf(version: string, sockets: Set<Socket>): Server {
  return createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.write(`INFO ${JSON.stringify({ server_id: 'OLD', version, proto: 1, max_payload: 1_048_576, headers: true })}\r\n`);
    socket.on('data', (data) => {
      for (let n = data.toString().split('PING\r\n').length; n > 1; n -= 1) socket.write('PONG\r\n');
    });
  }).listen(0, '127.0.0.1');
}

describe('a nats-server that is too old', () => {
  const sockets = new Set<Socket>();
  const lines: string[] = [];
  const log = createLogger('test', 'warn', (line) => void lines.push(line));
  const open: NatsConnection[] = [];
  let server: Server;
  let url: string;

  beforeEach(async () => {
    lines.length = 0;
    server = serverOf('2.10.26', sockets);
    await once(server, 'listening');
    url = `nats://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((nats) => nats.close()));
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  it.each(['gateway', 'keys', 'deployments', 'tuning', 'console', 'boot'] as const)(
    'keeps %s from starting, which says why',
    async (role) => {
      const connecting = connectNats({ url, role, name: role, log }).then((nats) => void open.push(nats));
      await expect(connecting).rejects.toThrow(/NATS_URL: the nats-server at \S+ is 2\.10\.26; 2\.10\.27 or newer is needed/);
    },
  );

  it.each(['worker', 'agent', 'runner', 'ops'] as const)('is logged by %s, which continues', async (role) => {
    open.push(await connectNats({ url, role, name: role, log }));
    await until('it is logged', () => lines.some((line) => line.includes('nats.server_too_old')), 5_000);
    expect(lines.join('')).toContain('2.10.26');
  });
});
