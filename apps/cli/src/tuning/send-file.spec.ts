import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { sendFile } from './send-file.js';

let folder: string;
let path: string;
let server: Server | undefined;
const content = Buffer.from('one example a line\n'.repeat(1_000));

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-send-'));
  path = join(folder, 'data.jsonl');
  await writeFile(path, content);
});
afterEach(async () => {
  server?.closeAllConnections();
  await new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()));
  server = undefined;
  await rm(folder, { recursive: true });
});

async function listen(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  server = createServer(answer);
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/uploads/ticket`;
}

it('an upload goes on where the connection broke off', async () => {
  let received = Buffer.alloc(0);
  let cuts = 2;
  const url = await listen((request, response) => {
    if (request.method === 'HEAD') return void response.writeHead(200, { 'upload-offset': String(received.length) }).end();
    expect(Number(request.headers['upload-offset'])).toBe(received.length);
    request.on('data', (chunk: Buffer) => {
      const isCut = cuts > 0;
      received = Buffer.concat([received, isCut ? chunk.subarray(0, 1_000) : chunk]);
      if (!isCut) return;
      cuts -= 1;
      request.destroy();
    });
    request.on('error', () => undefined);
    request.on('end', () => response.writeHead(204, { 'upload-offset': String(received.length) }).end());
  });
  const seen: number[] = [];
  await sendFile(url, path, (bytes) => seen.push(bytes));
  expect(received.equals(content)).toBe(true);
  expect(seen).toEqual([0, 1_000, 2_000]);
});

it('a refusal ends an upload at once, with the words of the server', async () => {
  let requests = 0;
  const url = await listen((_, response) => {
    requests += 1;
    response.writeHead(404).end('This upload is not open.');
  });
  await expect(sendFile(url, path, () => undefined)).rejects.toMatchObject({ code: 'upload_failed' });
  expect(requests).toBe(1);
});

it('a connection that stays broken is given up after three tries', async () => {
  const url = await listen((request) => request.destroy());
  await expect(sendFile(url, path, () => undefined)).rejects.toThrow('broke off three times');
});

it('an empty or missing file is refused before anything is sent', async () => {
  await writeFile(path, '');
  await expect(sendFile('http://127.0.0.1:1/', path, () => undefined)).rejects.toMatchObject({ code: 'not_readable' });
  await expect(sendFile('http://127.0.0.1:1/', `${path}.gone`, () => undefined)).rejects.toMatchObject({ code: 'not_readable' });
});
