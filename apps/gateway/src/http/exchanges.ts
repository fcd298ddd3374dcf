import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AccountId, DeploymentId, KeyId, ServiceError } from '@slipway/contracts';
import { type Logger, OpenSet } from '@slipway/platform';
import type { GatewayMetrics } from '../observability/gateway-metrics.js';
import { RequestLine } from '../observability/request-line.js';
import type { SurfaceRegistry } from '../surfaces/registry.js';
import type { ErrorFormat } from '../surfaces/surface.js';
import { answerError } from './answer.js';
import type { Cors } from './cors.js';
import type { Exchange } from './exchange.js';
import type { Refusal } from '../usage/refusal-counts.js';
import type { HttpSettings } from './http-settings.js';
import { requestId } from './request-id.js';
import { pathOf } from './unrouted.js';

/** What the log holds of a request whose client left before it was answered. */
const CLIENT_LEFT = 499;

export interface ExchangesOptions {
  readonly surfaces: SurfaceRegistry;
  readonly metrics: GatewayMetrics;
  readonly log: Logger;
  readonly cors: Cors;
  /** Is told of requests of a known key that were refused for a limit. */
  readonly refused: (refusal: Refusal) => void;
  readonly shutdown: HttpSettings['shutdown'];
}

/** All exchanges of the HTTP door, in whatever phase they are: each gets one log line, and a shutdown waits for all. */
export class Exchanges {
  readonly #open = new OpenSet<Exchange>();
  #none: (() => void) | undefined;

  constructor(private readonly options: ExchangesOptions) {}

  /** Begins an exchange that is answered on its own, outside of what a shutdown waits for. */
  begin(request: IncomingMessage, response: ServerResponse): Exchange {
    const id = requestId();
    this.options.cors.allow(request, response);
    if (this.options.shutdown() !== 'no') response.shouldKeepAlive = false;
    return { id, line: new RequestLine(id), request, response, format: this.formatAt(request) };
  }

  /** @param route its pattern, for the log; null for health checks, which come each second from every side. */
  open(request: IncomingMessage, response: ServerResponse, route: string | null): Exchange {
    const exchange = this.begin(request, response);
    this.#open.add(exchange);
    exchange.line.note({ method: request.method ?? '', route: route ?? 'health' });
    response.once('close', () => {
      this.#open.delete(exchange);
      if (this.#open.size === 0) this.#none?.();
      if (route !== null) this.record(exchange.line, response.headersSent ? response.statusCode : CLIENT_LEFT);
      this.#countRefusal(exchange);
    });
    return exchange;
  }

  /** A request that has a stream has a record of usage; one that was refused for a limit is counted here. */
  #countRefusal({ line: { fields }, request }: Exchange): void {
    const { error, account_id: acct, key_id: key, deployment_id: dep, alias, stream_id: stream } = fields;
    if (error !== 'rate_limit_exceeded' || stream !== undefined) return;
    if (acct === undefined || key === undefined || dep === undefined) return;
    const { api } = this.options.surfaces.of(pathOf(request.url ?? '/'), request.headers);
    this.options.refused({
      ...{ acct: acct as AccountId, key: key as KeyId, dep: dep as DeploymentId, api, status: error },
      ...(alias !== undefined && { alias }),
    });
  }

  /** How errors are written in the contract that a target belongs to. */
  formatAt({ url = '/', headers }: Pick<IncomingMessage, 'url' | 'headers'>): ErrorFormat {
    return this.options.surfaces.of(pathOf(url), headers).errors;
  }

  /** The exchange that a response belongs to, until that is over. */
  of(response: ServerResponse | null): Exchange | undefined {
    for (const exchange of this.#open) if (exchange.response === response) return exchange;
    return undefined;
  }

  /** Writes the line of a request that is over, once all is known of it. A status noted before wins. */
  record(line: RequestLine, status: number): void {
    line.note({ status: line.fields.status ?? status, ms: line.elapsed() });
    void line.settled.then(() => {
      line.write(this.options.log);
      this.options.metrics.answered(line.fields);
    });
  }

  /** Responses that have not begun yet will say that their connection ends. */
  closeConnections(): void {
    for (const { response } of this.#open) if (!response.headersSent) response.shouldKeepAlive = false;
  }

  /** Answers all that have no answer yet with an error, and ends their connections. */
  refuseUnanswered(error: ServiceError): void {
    for (const exchange of this.#open) if (!exchange.response.headersSent) answerError(exchange, error, { close: true });
  }

  /** Resolves when none is open, or after `ms`. */
  async whenNone(ms: number): Promise<void> {
    if (this.#open.size === 0 || ms <= 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#none = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#none = undefined;
  }
}
