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

/** How a file is served. */
export interface Serving {
  /** Pause behind each twentieth of an answer, in milliseconds. */
  readonly pauseMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Asked before each piece with its place in the file: waits, or says that the connection breaks here. */
  readonly gate?: (offset: number) => Promise<boolean>;
}

/** A part of a file that was asked for. */
export interface AskedRange {
  readonly path: string;
  readonly from: number;
  /** Without the last byte. */
  readonly to: number;
}

const PIECE_BYTES = 256 * 1024;

/** A web server with models, over TLS; it knows ranges and notes every request. */
export class ModelHost {
  readonly requests: string[] = [];
  readonly ranges: AskedRange[] = [];
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

  serve(path: string, content: Buffer, serving: Serving = {}): void {
    this.#paths.set(path, (request, response) => {
      const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
      const [from, to] = range ? [Number(range[1]), range[2] ? Number(range[2]) : content.length - 1] : [0, content.length - 1];
      if (range) this.ranges.push({ path, from, to: to + 1 });
      response.writeHead(range ? 206 : 200, {
        'content-type': 'application/octet-stream',
        'content-length': to + 1 - from,
        'accept-ranges': 'bytes',
        ...(range && { 'content-range': `bytes ${from}-${to}/${content.length}` }),
        ...serving.headers,
      });
      if (request.method === 'HEAD') return response.end();
      return void write(response, { content, from, to: to + 1 }, serving);
    });
  }

  /** Answers with these headers and, where there is one, a body without a length. */
  answer(path: string, headers: Readonly<Record<string, string>>, body?: string): void {
    this.#paths.set(path, (_, response) => {
      response.writeHead(200, headers);
      if (body === undefined) response.flushHeaders();
      else response.end(body);
    });
  }

  redirect(path: string, location: string, headers: Readonly<Record<string, string>> = {}): void {
    this.#paths.set(path, (_, response) => response.writeHead(302, { location, ...headers }).end());
  }

  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }
}

async function write(
  response: ServerResponse,
  { content, from, to }: { content: Buffer; from: number; to: number },
  { pauseMs = 0, gate }: Serving,
): Promise<void> {
  const size = pauseMs > 0 ? Math.ceil((to - from) / 20) : PIECE_BYTES;
  for (let at = from; at < to && !response.destroyed; at += size) {
    if (gate && !(await gate(at))) return void response.destroy();
    const flushed = response.write(content.subarray(at, Math.min(to, at + size)));
    // A client that reads no more must not make this server hold the whole file for it.
    if (!flushed) await drained(response);
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  response.end();
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}
