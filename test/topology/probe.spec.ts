import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';

const PROBE = fileURLToPath(new URL('../../deploy/probe.sh', import.meta.url));

let server: Server | undefined;
afterEach(() => void server?.close());

async function serve(listener: RequestListener): Promise<number> {
  server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function probe(port: number): Promise<{ code: number; text: string }> {
  const child = spawn('bash', [PROBE], { env: { PATH: process.env['PATH'], OPS_PORT: String(port) } });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  const [code] = (await once(child, 'close')) as [number];
  return { code, text: text.trim() };
}

describe('the health check of the images', () => {
  it('succeeds for a ready process', async () => {
    const asked: string[] = [];
    const port = await serve((request, response) => {
      asked.push(request.url ?? '');
      response.end('ok\n');
    });
    expect(await probe(port)).toEqual({ code: 0, text: '' });
    expect(asked).toEqual(['/readyz']);
  });

  it('prints why a process is not ready', async () => {
    const port = await serve((_, response) => void response.writeHead(503).end('not connected to NATS\n'));
    expect(await probe(port)).toEqual({ code: 1, text: '503 not connected to NATS' });
  });

  it('fails without an HTTP server', async () => {
    const port = await serve((request) => void request.socket.end('nonsense\n'));
    expect((await probe(port)).code).toBe(1);
    server?.close();
    await once(server!, 'close');
    const refused = await probe(port);
    expect(refused.code).toBe(1);
    expect(refused.text).toMatch(/refused/);
  });
});
