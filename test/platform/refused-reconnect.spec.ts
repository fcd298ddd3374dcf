import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectNats, createLogger } from '@slipway/platform';
import { freePorts, TestNatsServer } from '@slipway/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';

const config = (port: number, password: string): string =>
  `listen: 127.0.0.1:${port}\nauthorization { users = [{ user: keys, password: "${password}" }] }\n`;

let folder: string;
let server: TestNatsServer | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-creds-'));
  await writeFile(join(folder, 'keys.json'), JSON.stringify({ user: 'keys', password: 'old' }));
});
afterEach(async () => {
  await server?.end();
  await rm(folder, { recursive: true, force: true });
});

it('reports a connection refused at its reconnect as lost', async () => {
  const [port = 0] = await freePorts(1);
  server = await TestNatsServer.start({ port, config: config(port, 'old') });
  const log = createLogger('test', 'silent');
  let lost: Error | null = null;
  const nats = await connectNats({
    url: server.url,
    role: 'keys',
    credentialsDir: folder,
    name: 'refused',
    log,
    lost: (error) => (lost = error),
  });
  await server.end();
  server = await TestNatsServer.start({ port, config: config(port, 'new') });
  await expect.poll(() => lost, { timeout: 30_000 }).toBeInstanceOf(Error);
  expect(nats.isClosed()).toBe(true);
});

it('does not report a closed connection as lost', async () => {
  const [port = 0] = await freePorts(1);
  server = await TestNatsServer.start({ port, config: config(port, 'old') });
  const lost: Error[] = [];
  const log = createLogger('test', 'silent');
  const nats = await connectNats({
    url: server.url,
    role: 'keys',
    credentialsDir: folder,
    name: 'closed',
    log,
    lost: (error) => lost.push(error),
  });
  await server.end();
  await nats.close();
  await nats.closed();
  expect(lost).toEqual([]);
});
