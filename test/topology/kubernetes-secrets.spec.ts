import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const TOOL = fileURLToPath(new URL('../../deploy/kubernetes-secrets.mjs', import.meta.url));

interface Stored {
  metadata: { name: string; generation?: number };
  data?: Record<string, string>;
  spec?: { replicas: number; template: { metadata: { annotations?: Record<string, string> } } };
  status?: object;
}

let server: Server;
let folder: string;
/** Objects of the API server by path, and the changes that were asked of it. */
let objects: Map<string, Stored>;
let changes: string[];

const secretAt = (name: string): string => `/api/v1/namespaces/prod/secrets/${name}`;
const NATS = '/apis/apps/v1/namespaces/prod/statefulsets/slipway-nats';
const valueOf = (secret: string, key: string): string => Buffer.from(objects.get(secretAt(secret))?.data?.[key] ?? '', 'base64').toString();

async function bodyOf(request: IncomingMessage): Promise<Partial<Stored>> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text === '' ? {} : (JSON.parse(text) as Partial<Stored>);
}

/** Answers as an API server does, for objects by name, creation and merge patches. */
async function answer(request: IncomingMessage): Promise<[status: number, body: unknown]> {
  const { url = '', method = '' } = request;
  if (request.headers.authorization !== 'Bearer secret-token') return [401, { message: 'Unauthorized' }];
  const body = await bodyOf(request);
  const path = `${url}${body.metadata?.name ?? ''}`;
  if (method !== 'GET') changes.push(`${method} ${path}`);
  if (method === 'POST') objects.set(path, body as Stored);
  const found = objects.get(path);
  if (found === undefined) return [404, { message: 'not found' }];
  if (method === 'PATCH') merge(found, body);
  return [200, found];
}

function merge(found: Stored, { data, spec }: Partial<Stored>): void {
  if (data) found.data = { ...found.data, ...data };
  if (spec && found.spec) found.spec.template.metadata = spec.template.metadata;
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-secrets-'));
  writeFileSync(join(folder, 'token'), 'secret-token\n');
  [objects, changes] = [new Map(), []];
  server = createServer((request, response) => {
    void answer(request).then(([status, body]) => response.writeHead(status).end(JSON.stringify(body)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function run(command: string, environment: Record<string, string> = {}): Promise<{ code: number; text: string }> {
  const API_SERVER = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const fixed = { API_SERVER, TOKEN_FILE: join(folder, 'token'), NAMESPACE: 'prod', SLIPWAY_ENV: 'prod', ROLLOUT_MS: '1500' };
  const child = spawn(process.execPath, [TOOL, command], { env: { PATH: process.env['PATH'], ...fixed, ...environment } });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  const [code] = (await once(child, 'close')) as [number];
  return { code, text };
}

/** A set of NATS nodes, as it is after an install. */
function installNats(): void {
  const status = { observedGeneration: 1, updatedReplicas: 3, readyReplicas: 3 };
  objects.set(NATS, {
    metadata: { name: 'slipway-nats', generation: 1 },
    spec: { replicas: 3, template: { metadata: {} } },
    status,
  });
}

describe('the secrets of an installation in Kubernetes', () => {
  it('are made once and never changed', async () => {
    expect(await run('apply')).toMatchObject({ code: 0 });
    expect(valueOf('slipway-gateway', 'gateway.creds')).toContain('BEGIN NATS USER JWT');
    expect(valueOf('slipway-gateway', 'KEY_PEPPERS')).toBe(valueOf('slipway-keys', 'KEY_PEPPERS'));
    expect(JSON.parse(valueOf('slipway-databases', 'databases.json'))).toMatchObject({
      databases: [{ database: 'slipway_prod_keys', role: 'slipway_keys', password: valueOf('slipway-keys', 'DATABASE_PASSWORD') }, {}, {}],
    });
    expect(valueOf('slipway-nats', 'slipway-nats-1.conf')).toContain('slipway-nats-2.slipway-nats:6222');
    const before = structuredClone(objects);
    changes = [];
    expect(await run('apply')).toMatchObject({ code: 0 });
    expect([changes, objects]).toEqual([[], before]);
  });

  it('get what a newer release needs', async () => {
    await run('apply');
    const pepper = valueOf('slipway-gateway', 'KEY_PEPPERS');
    delete objects.get(secretAt('slipway-gateway'))?.data?.['SLIPWAY_SECRET_KEY'];
    objects.delete(secretAt('slipway-trainer'));
    changes = [];
    expect(await run('apply')).toMatchObject({ code: 0 });
    expect(changes.toSorted()).toEqual([`PATCH ${secretAt('slipway-gateway')}`, `POST ${secretAt('')}slipway-trainer`]);
    expect([valueOf('slipway-gateway', 'KEY_PEPPERS'), valueOf('slipway-gateway', 'SLIPWAY_SECRET_KEY')]).toEqual([
      pepper,
      valueOf('slipway-keys', 'SLIPWAY_SECRET_KEY'),
    ]);
  });

  it('restart NATS nodes whose configuration changed', async () => {
    await run('apply');
    installNats();
    expect(await run('apply')).toMatchObject({ code: 0 });
    const digest = objects.get(NATS)?.spec?.template.metadata.annotations?.['slipway.dev/nats-config'];
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    changes = [];
    await run('apply');
    expect(changes).toEqual([]);
    await run('apply', { SLIPWAY_ENV: 'stage' });
    expect(changes).toContain(`PATCH ${NATS}`);
    expect(objects.get(NATS)?.spec?.template.metadata.annotations?.['slipway.dev/nats-config']).not.toBe(digest);
  });

  it('fail when the NATS nodes stay down', async () => {
    installNats();
    objects.get(NATS)!.status = { observedGeneration: 1, updatedReplicas: 3, readyReplicas: 2 };
    expect(await run('apply')).toMatchObject({ code: 1, text: expect.stringContaining('did not become ready') as string });
  });

  it('stay out of messages when they are refused', async () => {
    writeFileSync(join(folder, 'token'), 'another');
    const { code, text } = await run('apply');
    expect([code, text]).toEqual([
      1,
      'The Secrets could not be made: GET /api/v1/namespaces/prod/secrets/slipway-secrets: 401 Unauthorized.\n',
    ]);
  });

  it('are printed for a store, without NATS of its own', async () => {
    const { code, text } = await run('print', { NATS_NODES: '0', NAME: 'team' });
    const { items } = JSON.parse(text) as { items: Stored[] };
    expect([code, changes]).toEqual([0, []]);
    expect(items.map(({ metadata }) => metadata.name)).toEqual(expect.arrayContaining(['team-secrets', 'team-gateway', 'team-join']));
    expect(items.map(({ metadata }) => metadata.name)).not.toContain('team-nats');
  });
});
