import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import type { Logger } from '../log/logger.js';

/** What an `OpsServer` needs. */
export interface OpsServerOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly metrics: Registry;
  /** What keeps the process from being ready, or null when nothing does. */
  readonly notReady: () => string | null;
  readonly log: Logger;
}

/** Health and metrics of a process on its own port: /livez, /readyz, /metrics. */
export class OpsServer {
  readonly #server: Server;

  constructor(private readonly options: OpsServerOptions) {
    this.#server = createServer((request, response) => {
      void this.#answer(request.url ?? '', response);
    });
    this.#server.keepAliveTimeout = 5_000;
  }

  /** @throws Error when the port is taken. */
  async start(): Promise<void> {
    const { host, port, log } = this.options;
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, resolve);
    });
    log.info({ host, port: this.port }, 'ops.listening');
  }

  /** The port that it listens on. */
  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    await new Promise((resolve) => {
      this.#server.close(resolve);
      this.#server.closeAllConnections();
    });
  }

  async #answer(url: string, response: ServerResponse): Promise<void> {
    if (url === '/livez') return send(response, 200, 'ok');
    if (url === '/readyz') {
      const reason = this.options.notReady();
      return send(response, reason === null ? 200 : 503, reason ?? 'ok');
    }
    if (url === '/metrics') return send(response, 200, await this.options.metrics.metrics(), this.options.metrics.contentType);
    return send(response, 404, 'not found');
  }
}

function send(response: ServerResponse, status: number, body: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) }).end(body);
}
