import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

// Made for these tests with openssl, for localhost and 127.0.0.1, until the year 2126.
const file = (name: string): string => fileURLToPath(new URL(`tls/${name}`, import.meta.url));
/** What a client must trust, by NODE_EXTRA_CA_CERTS. */
export const CERTIFICATE = file('localhost.cert.pem');

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A web server with models, over TLS; it knows ranges and notes every request. */
export class ModelHost {
  readonly requests: string[] = [];
  readonly #paths = new Map<string, Handler>();

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => {
      const path = new URL(request.url ?? '/', 'https://host').pathname;
      this.requests.push(`${request.method} ${path}`);
      const handler = this.#paths.get(path);
      if (handler) handler(request, response);
      else response.writeHead(404).end('nothing here');
    });
  }

  static async start(): Promise<ModelHost> {
    const server = createServer({ key: readFileSync(file('localhost.key.pem')), cert: readFileSync(CERTIFICATE) });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new ModelHost(server);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** The address of a path, by one of the two names of this machine. */
  url(path: string, name: 'localhost' | '127.0.0.1' = 'localhost'): string {
    return `https://${name}:${this.port}${path}`;
  }

  serve(path: string, content: Buffer, pauseMs = 0): void {
    this.#paths.set(path, (request, response) => {
      const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
      const [from, to] = range ? [Number(range[1]), range[2] ? Number(range[2]) : content.length - 1] : [0, content.length - 1];
      const part = content.subarray(from, to + 1);
      response.writeHead(range ? 206 : 200, {
        'content-type': 'application/octet-stream',
        'content-length': part.length,
        'accept-ranges': 'bytes',
        ...(range && { 'content-range': `bytes ${from}-${to}/${content.length}` }),
      });
      if (request.method === 'HEAD') return response.end();
      return void write(response, part, pauseMs);
    });
  }

  redirect(path: string, location: string): void {
    this.#paths.set(path, (_, response) => response.writeHead(302, { location }).end());
  }

  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }
}

async function write(response: ServerResponse, content: Buffer, pauseMs: number): Promise<void> {
  const pieces = pauseMs > 0 ? 20 : 1;
  const size = Math.ceil(content.length / pieces);
  for (let at = 0; at < content.length && !response.destroyed; at += size) {
    response.write(content.subarray(at, at + size));
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  response.end();
}
