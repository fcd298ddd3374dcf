import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Stands in for Prometheus: answers queries with one number, or with nothing. */
export class PrometheusStub {
  readonly queries: string[] = [];
  readonly #server: Server;
  /** Answers to certain queries, and to all others. */
  readonly answers = new Map<string, number>();
  answer: number | null = null;

  constructor() {
    this.#server = createServer((request, response) => {
      const query = new URL(request.url ?? '', 'http://stub').searchParams.get('query') ?? '';
      const answer = this.answers.get(query) ?? this.answer;
      this.queries.push(query);
      const result = answer === null ? [] : [{ metric: {}, value: [Date.now() / 1_000, String(answer)] }];
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ status: 'success', data: { resultType: 'vector', result } }));
    });
  }

  async start(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
