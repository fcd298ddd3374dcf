import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AccountId, DeploymentId, KeyId, ServiceError } from '@slipway/contracts';
import { type Logger, OpenSet, readTrace, type TraceContext, type Tracing } from '@slipway/platform';
import type { GatewayMetrics } from '../observability/gateway-metrics.js';
import { InferenceLine } from '../observability/inference-line.js';
import { requestSpan } from '../observability/request-span.js';
import type { SurfaceRegistry } from '../surfaces/registry.js';
import type { ErrorFormat } from '../surfaces/surface.js';
import type { HttpSettings } from '../tokens.js';
import type { RefusedRequest } from '../usage/request-meter.js';
import type { Cors } from './cors.js';
import { sendError } from './error-response.js';
import { type RequestContext, requestId } from './request-context.js';
import { pathOf } from './unrouted.js';

/** Logged status of a request whose client disconnected before the response. */
const CLIENT_LEFT = 499;

export interface RequestsInFlightOptions {
  readonly surfaces: SurfaceRegistry;
  readonly metrics: GatewayMetrics;
  readonly log: Logger;
  readonly tracing: Pick<Tracing, 'begin' | 'record'>;
  readonly cors: Cors;
  /** Counts a request of a known key that exceeded a limit. */
  readonly countRefused: (request: RefusedRequest) => void;
  readonly shutdown: HttpSettings['shutdown'];
}

/** Node joins repeated headers with commas, so that a repeated `traceparent` is invalid. */
const callerOf = ({ headers: { traceparent, tracestate } }: IncomingMessage): TraceContext | null =>
  typeof traceparent === 'string' ? readTrace(traceparent, String(tracestate ?? '')) : null;

/** All HTTP requests that are not over. Each gets one log line, and a shutdown waits for all. */
export class RequestsInFlight {
  readonly #open = new OpenSet<RequestContext>();
  #onEmpty: (() => void) | undefined;

  constructor(private readonly options: RequestsInFlightOptions) {}

  /** The context of a request that a shutdown does not wait for. */
  begin(request: IncomingMessage, response: ServerResponse): RequestContext {
    const id = requestId();
    this.options.cors.allow(request, response);
    if (this.options.shutdown() !== 'no') response.shouldKeepAlive = false;
    const trace = this.options.tracing.begin(callerOf(request));
    const line = new InferenceLine(id);
    line.note({ trace_id: trace.traceId });
    return { id, line, trace, request, response, format: this.formatAt(request) };
  }

  /** Adds a request. @param route its pattern, for the log; null for health checks, which are not logged. */
  open(request: IncomingMessage, response: ServerResponse, route: string | null): RequestContext {
    const context = this.begin(request, response);
    this.#open.add(context);
    context.line.note({ method: request.method ?? '', route: route ?? 'health' });
    response.once('close', () => {
      this.#open.delete(context);
      if (this.#open.size === 0) this.#onEmpty?.();
      if (route !== null) this.record(context.line, response.headersSent ? response.statusCode : CLIENT_LEFT, context);
      this.#countRefusal(context);
    });
    return context;
  }

  /**
   * Requests with a stream have a usage record. One that was refused before has none and is counted here, where its key is known.
   * Questions about models are not usage, answered or refused.
   */
  #countRefusal({ line: { fields }, request }: RequestContext): void {
    if (request.method !== 'POST') return;
    const { error, account_id: acct, key_id: key, deployment_id: dep, alias, stream_id: stream } = fields;
    // A client that left was not refused.
    if (error === undefined || error === 'cancelled' || stream !== undefined || acct === undefined || key === undefined) return;
    const { api } = this.options.surfaces.of(pathOf(request.url ?? '/'), request.headers);
    this.options.countRefused({
      ...{ acct: acct as AccountId, key: key as KeyId, api, status: error },
      ...(dep !== undefined && { dep: dep as DeploymentId }),
      ...(alias !== undefined && { alias }),
    });
  }

  /** Error format of the contract that a request target belongs to. */
  formatAt({ url = '/', headers }: Pick<IncomingMessage, 'url' | 'headers'>): ErrorFormat {
    return this.options.surfaces.of(pathOf(url), headers).errors;
  }

  /** The context of a response that is not over. */
  of(response: ServerResponse | null): RequestContext | undefined {
    for (const context of this.#open) if (context.response === response) return context;
    return undefined;
  }

  /** Logs and counts a finished request once its fields are settled. A status that was noted before wins. */
  record(line: InferenceLine, status: number, context?: RequestContext): void {
    line.note({ status: line.fields.status ?? status, ms: line.elapsed() });
    void line.settled.then(() => {
      line.write(this.options.log);
      this.options.metrics.requestEnded(line.fields);
      if (context?.trace.isSampled === true) this.options.tracing.record(requestSpan(context.id, context.trace, line));
    });
  }

  /** Makes responses that have not begun send `Connection: close`. */
  closeConnections(): void {
    for (const { response } of this.#open) if (!response.headersSent) response.shouldKeepAlive = false;
  }

  /** Fails all requests whose response has not begun, and closes their connections. */
  failPending(error: ServiceError): void {
    for (const context of this.#open) if (!context.response.headersSent) sendError(context, error, { close: true });
  }

  /** Resolves when no request is left, or after `ms`. */
  async whenEmpty(ms: number): Promise<void> {
    if (this.#open.size === 0 || ms <= 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#onEmpty = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#onEmpty = undefined;
  }
}
