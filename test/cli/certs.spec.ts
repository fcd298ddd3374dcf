import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectNats, createLogger } from '@slipway/platform';
import { TestNatsServer } from '@slipway/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { documentOf, runCliInProcess } from './cli-rig.js';

let folder: string;
const at = (...path: string[]): string => join(folder, ...path);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-certs-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('makes an authority once and certificates anew', async () => {
  const first = await runCliInProcess(['certs', at('certs'), '--json']);
  expect([first.code, first.stderr]).toEqual([0, '']);
  expect(documentOf(first)).toMatchObject({
    certificates: [{ name: 'nats' }, { name: 'postgres' }, { name: 'blobs' }, { name: 'client' }],
  });
  const [authority, nats] = await Promise.all([readFile(at('certs/ca.pem'), 'utf8'), readFile(at('certs/nats.pem'), 'utf8')]);
  expect(await runCliInProcess(['certs', at('certs'), '--days', '30'])).toMatchObject({ code: 0 });
  expect(await readFile(at('certs/ca.pem'), 'utf8')).toBe(authority);
  expect(await readFile(at('certs/nats.pem'), 'utf8')).not.toBe(nats);
  await rm(at('certs/ca.key'));
  expect((await runCliInProcess(['certs', at('certs')])).stderr).toContain('authority_incomplete');
  await rm(at('certs/ca.pem'));
});

it('writes a configuration that nats-server accepts', async () => {
  expect(await runCliInProcess(['certs', at('certs')])).toMatchObject({ code: 0 });
  const tls = ['--ca', at('certs/ca.pem'), '--cert', at('certs/nats.pem'), '--key', at('certs/nats.key'), '--verify'];
  const files = ['--seeds', at('seeds.json'), '--credentials', at('credentials'), '--store-dir', at('store')];
  const run = await runCliInProcess(['nats-conf', '--name', 'n1', ...files, ...tls, '--json']);
  expect([run.code, run.stderr]).toEqual([0, '']);
  const { conf } = documentOf<{ conf: string }>(run);
  const server = await TestNatsServer.start({ config: conf.replace(/^host:.*$/m, '').replace(/^port:.*$/m, '') });
  const own = { ca: at('certs/ca.pem'), cert: at('certs/client.pem'), key: at('certs/client.key') };
  const options = { url: server.url, role: 'gateway', credentialsDir: at('credentials/gateway'), name: 'x', tls: own } as const;
  const nats = await connectNats({ ...options, log: createLogger('test', 'silent') });
  expect(nats.info).toMatchObject({ tls_required: true, server_name: 'n1' });
  await nats.close();
  await server.end();
});

it('asks for all files of TLS and a route password', async () => {
  const given = ['nats-conf', '--name', 'n1', '--seeds', at('seeds.json')];
  expect((await runCliInProcess([...given, '--ca', 'x'])).stderr).toContain('tls_incomplete');
  expect((await runCliInProcess([...given, '--routes', 'a:1,b:1'])).stderr).toContain('no_route_password');
});
