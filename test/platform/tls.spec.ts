import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Module } from '@nestjs/common';
import {
  ConfigError,
  connectNats,
  createLogger,
  defineService,
  findTlsTrouble,
  NATS,
  type NatsConnection,
  natsFragment,
  serviceFragment,
} from '@slipway/platform';
import { type RunningService, startService } from '@slipway/platform/service';
import { endWithProcess, freePorts, TestNatsServer } from '@slipway/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { makeAuthority, makeCertificate, type MadeCertificate, validFor } from '../../apps/cli/src/certs/make-certificates.js';
import { until } from '../testing/until.js';

const WITHIN_MS = 20_000;
const silent = createLogger('test', 'silent');
const HOUR_MS = 3_600_000;

@Module({})
class Empty {}
const service = defineService({
  name: 'tls-service',
  role: 'keys',
  config: z.object({ ...serviceFragment, ...natsFragment }),
  module: Empty,
});

let folder: string;
let authority: MadeCertificate;
let other: MadeCertificate;
const servers: TestNatsServer[] = [];
const running: (() => Promise<unknown>)[] = [];
const at = (name: string): string => join(folder, name);

async function writePair(name: string, { cert, key }: MadeCertificate): Promise<void> {
  await writeFile(at(`${name}.pem`), cert);
  await writeFile(at(`${name}.key`), key, { mode: 0o600 });
}

async function serve(name: string, further = ''): Promise<TestNatsServer> {
  const files = `cert_file: "${at(`${name}.pem`)}", key_file: "${at(`${name}.key`)}", ca_file: "${at('ca.pem')}"`;
  const server = await TestNatsServer.start({ config: `tls { ${files}, ${further} }` });
  servers.push(server);
  return server;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-tls-'));
  [authority, other] = [await makeAuthority('right', validFor(10)), await makeAuthority('wrong', validFor(10))];
  await writePair('ca', authority);
  await writePair('other-ca', other);
  const hosts = ['localhost', '127.0.0.1'];
  const past = { from: new Date(Date.now() - 2 * HOUR_MS), to: new Date(Date.now() - HOUR_MS) };
  await writePair('server', await makeCertificate(authority, { name: 'server', hosts, ...validFor(5) }));
  await writePair('expired', await makeCertificate(authority, { name: 'expired', hosts, ...past }));
  await writePair('elsewhere', await makeCertificate(authority, { name: 'elsewhere', hosts: ['nats.example'], ...validFor(5) }));
  await writePair('client', await makeCertificate(authority, { name: 'client', hosts: [], ...validFor(5) }));
  await writeFile(at('empty.key'), '');
  await writePair('foreign-client', await makeCertificate(other, { name: 'client', hosts: [], ...validFor(5) }));
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((stop) => stop()));
  await Promise.all(servers.splice(0).map((server) => server.end()));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

type Files = Partial<Record<'NATS_CA' | 'NATS_CERT' | 'NATS_KEY', string>>;

/** A service that cannot connect, as a process; asks its ops port. */
async function starting(server: TestNatsServer, files: Files & { LOGS_IN?: string }): Promise<(path: string) => Promise<string>> {
  const [port = 0] = await freePorts(1);
  const main = fileURLToPath(new URL('processes/tls-service.mjs', import.meta.url));
  const env = { PATH: process.env['PATH'], NATS_URL: server.url, OPS_PORT: String(port), LOG_LEVEL: 'silent', ...files };
  const child = spawn(process.execPath, [main], { env, stdio: 'ignore' });
  endWithProcess(child);
  running.push(async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  return async (path) => {
    try {
      return await (await fetch(`http://127.0.0.1:${port}${path}`)).text();
    } catch {
      return '';
    }
  };
}

async function started(server: TestNatsServer, files: Files): Promise<RunningService> {
  const one = await startService(service, { NATS_URL: server.url, ...files }, { fault: () => undefined });
  running.push(() => one.stop(0));
  return one;
}

describe('TLS with NATS', () => {
  it('connects when the authority signed the certificate', async () => {
    const one = await started(await serve('server'), { NATS_CA: at('ca.pem') });
    expect(one.notReady()).toBeNull();
    await until(
      'the expiry is known',
      async () => (await one.metrics()).includes('slipway_nats_certificate_expiry_seconds{file="ca"'),
      WITHIN_MS,
    );
    expect(await one.metrics()).not.toMatch(/slipway_nats_tls_refused\{/);
  });

  it('connects with a client certificate to servers that require one', async () => {
    const server = await serve('server', 'verify: true');
    const files = { NATS_CA: at('ca.pem'), NATS_CERT: at('client.pem'), NATS_KEY: at('client.key') };
    expect((await started(server, files)).notReady()).toBeNull();
  });

  const REFUSED: [string, string, string, Files][] = [
    ['server', 'not signed by an authority of NATS_CA', 'unknown_authority', { NATS_CA: 'other-ca.pem' }],
    ['server', 'not signed by an authority of NATS_CA', 'unknown_authority', {}],
    ['elsewhere', 'its certificate is for another name', 'other_name', { NATS_CA: 'ca.pem' }],
  ];
  it.each(REFUSED)('names why it refuses a server: %s, %s', async (certificate, words, reason, { NATS_CA: ca }) => {
    const server = await serve(certificate);
    const found = await findTlsTrouble(server.url, ca === undefined ? undefined : { ca: at(ca) });
    expect(found).toMatchObject({ reason, text: expect.stringContaining(words) as string });
  });

  it('names in /readyz and metrics why it refuses a server', async () => {
    const server = await serve('expired');
    const ask = await starting(server, { NATS_CA: at('ca.pem') });
    await until('/readyz names it', async () => (await ask('/readyz')).includes('its certificate has expired'), WITHIN_MS);
    expect(await ask('/readyz')).toContain(`127.0.0.1:${server.port}`);
    expect(await ask('/metrics')).toMatch(/slipway_nats_tls_refused\{[^}]*reason="expired"[^}]*\} 1/);
  });

  it.each([{}, { cert: 'foreign-client.pem', key: 'foreign-client.key' }])('names a refused client certificate: %j', async (own) => {
    const server = await serve('server', 'verify: true');
    const files = Object.fromEntries(Object.entries(own).map(([name, file]) => [name, at(file)]));
    const found = await findTlsTrouble(server.url, { ca: at('ca.pem'), ...files });
    expect(found?.text).toContain('refuses the certificate of this process');
  });

  it('names why while the process waits for its name', async () => {
    const ask = await starting(await serve('expired'), { NATS_CA: at('ca.pem'), LOGS_IN: '1' });
    await until('/readyz names it', async () => (await ask('/readyz')).includes('its certificate has expired'), WITHIN_MS);
  });

  it('names a server that does not speak TLS', async () => {
    const server = await TestNatsServer.start();
    servers.push(server);
    expect((await findTlsTrouble(server.url, { ca: at('ca.pem') }))?.text).toContain('does not speak TLS');
  });
});

describe('files for TLS', () => {
  it.each([
    ['NATS_CA', { ca: 'missing.pem' }],
    ['NATS_CA', { ca: 'client.key' }],
    ['NATS_KEY', { ca: 'ca.pem', cert: 'client.pem' }],
    ['NATS_KEY', { ca: 'ca.pem', cert: 'client.pem', key: 'server.key' }],
    ['NATS_KEY', { ca: 'ca.pem', cert: 'client.pem', key: 'empty.key' }],
  ])('are refused at start, naming %s: %j', async (variable, files) => {
    const tls = Object.fromEntries(Object.entries(files).map(([name, file]) => [name, at(file)]));
    const opening = connectNats({ url: 'nats://127.0.0.1:1', role: 'keys', name: 'x', log: silent, tls });
    const error = await opening.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConfigError);
    expect((error as ConfigError).problems[0]).toMatch(new RegExp(`^${variable}: `));
  });

  it('are read again when they change', async () => {
    const server = await serve('server', 'verify: true');
    await cp(at('client.pem'), at('own.pem'));
    await cp(at('client.key'), at('own.key'));
    const one = await started(server, { NATS_CA: at('ca.pem'), NATS_CERT: at('own.pem'), NATS_KEY: at('own.key') });
    const nats = one.get<NatsConnection>(NATS);
    const received: string[] = [];
    nats.subscribe('tls.check', { callback: (_, message) => void received.push(message.string()) });
    let moves = 0;
    void (async () => {
      for await (const { type } of nats.status()) if (type === 'reconnect') moves += 1;
    })();
    await cp(at('foreign-client.pem'), at('own.pem'));
    await cp(at('foreign-client.key'), at('own.key'));
    await until('the refusal is counted', async () => /tls_refused\{[^}]*client_refused/.test(await one.metrics()), WITHIN_MS);
    expect([moves, one.notReady()]).toEqual([0, null]);
    await writePair('own', await makeCertificate(authority, { name: 'client', hosts: [], ...validFor(3) }));
    await until('the connection has moved over', () => moves === 1, WITHIN_MS);
    expect(one.notReady()).toBeNull();
    const sender = await connectNats({
      url: server.url,
      role: 'gateway',
      name: 'sender',
      log: silent,
      tls: { ca: at('ca.pem'), cert: at('client.pem'), key: at('client.key') },
    });
    running.push(() => sender.close());
    sender.publish('tls.check', 'still here');
    await until('its subscription works', () => received.length === 1, WITHIN_MS);
    expect(await one.metrics()).not.toMatch(/slipway_nats_tls_refused\{/);
  });
});
