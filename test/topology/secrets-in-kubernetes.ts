import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach } from 'vitest';

const TOOL = fileURLToPath(new URL('../../deploy/kubernetes-secrets.mjs', import.meta.url));

/** An object of an API server. */
export interface Stored {
  metadata: { name: string; generation?: number };
  data?: Record<string, string>;
  spec?: { replicas: number; template: { metadata: { annotations?: Record<string, string> } } };
  status?: object;
}

let server: Server;
/** Holds the token of the service account. */
export let folder: string;
/** Objects of the API server by path, and the changes that were asked of it. */
export let objects: Map<string, Stored>;
export const changes: string[] = [];

export const secretAt = (name: string): string => `/api/v1/namespaces/prod/secrets/${name}`;
/** A value of a Secret, decoded. */
export const valueOf = (secret: string, key: string): string =>
  Buffer.from(objects.get(secretAt(secret))?.data?.[key] ?? '', 'base64').toString();

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
  objects = new Map();
  changes.length = 0;
  server = createServer((request, response) => {
    void answer(request).then(([status, body]) => response.writeHead(status).end(JSON.stringify(body)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the tool, as a pod does. */
export async function run(command: string, environment: Record<string, string> = {}): Promise<{ code: number; text: string }> {
  const API_SERVER = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const fixed = { API_SERVER, TOKEN_FILE: join(folder, 'token'), NAMESPACE: 'prod', SLIPWAY_ENV: 'prod', ROLLOUT_MS: '1500' };
  const child = spawn(process.execPath, [TOOL, command], { env: { PATH: process.env['PATH'], ...fixed, ...environment } });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  const [code] = (await once(child, 'close')) as [number];
  return { code, text };
}
