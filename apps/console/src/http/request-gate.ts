import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { ServiceError } from '@slipway/contracts';
import { type CommonRequestFields, RequestLine } from '@slipway/platform';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { McpEndpoints } from '../mcp/mcp-endpoints.js';
import { PlaygroundProxy } from '../playground/playground-proxy.js';
import { AccessTokens } from '../sessions/access-tokens.js';
import { TransferRelay } from '../transfers/transfer-relay.js';
import { clientAddress } from './client-address.js';
import { sendError } from './http-errors.js';
import { HttpSettings } from './http.module.js';
import { checkRequest } from './own-origin.js';
import { RequestBounds } from './request-bounds.js';
import { isPublicRoute } from './route-declarations.js';

/** Headers of every response. The policy is that of API responses; pages have their own. */
export const securityHeaders = (isSecure: boolean): Readonly<Record<string, string>> => ({
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'cache-control': 'no-store',
  ...(isSecure && { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }),
});

/** What the log line of one request to the console may hold: ids and figures, never a password, a token or a query string. */
interface ConsoleRequestFields extends CommonRequestFields {
  address?: string;
  user_id?: number;
  /** What was called through the MCP server, and what its client calls itself. */
  mcp_tool?: string;
  mcp_client?: string;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Absent for requests that Fastify refuses before any hook. */
    line: RequestLine<ConsoleRequestFields> | undefined;
  }
}

/** Largest body in bytes: on routes with a session, on the one that adds examples to a data set, and on public routes. */
const BODY_MAX = { signedIn: 64 * 1024, examples: 192 * 1024, public: 8 * 1024 } as const;
const ADDS_EXAMPLES = /^\/api\/versions\/add-examples(?:\?|$)/;
/** A request must be complete within this time, in milliseconds. Transfers have a bound of their own. */
const ARRIVAL_MS = 30_000;
const HTTP_VERSIONS: ReadonlySet<string> = new Set(['1.0', '1.1']);
/** Paths of health checks, which are not logged. */
const HEALTH = /^\/(?:livez|readyz)(?:\?|$)/;

/**
 * Checks every request in Fastify's `onRequest`, before its body is read: connections, origin, route, session. The first failure is
 * the response. The MCP server, the playground and transfers of files bypass Nest, since their bodies and responses are streams.
 */
@Injectable()
export class RequestGate {
  readonly #settings: HttpSettings;
  readonly #bounds: RequestBounds;
  readonly #mcp: McpEndpoints;
  readonly #playground: PlaygroundProxy;
  readonly #transfers: TransferRelay;
  readonly #tokens: AccessTokens;

  constructor(
    settings: HttpSettings,
    bounds: RequestBounds,
    mcp: McpEndpoints,
    playground: PlaygroundProxy,
    transfers: TransferRelay,
    tokens: AccessTokens,
  ) {
    this.#settings = settings;
    this.#bounds = bounds;
    this.#mcp = mcp;
    this.#playground = playground;
    this.#transfers = transfers;
    this.#tokens = tokens;
  }

  install(server: FastifyInstance): void {
    const { log } = this.#settings;
    server.decorateRequest('line', undefined);
    server.addHook('onRequest', (request, reply, done) => this.#check(request, reply, done));
    server.addHook('onResponse', (request, reply, done) => {
      const { line } = request;
      line?.note({ status: reply.statusCode, ms: line.elapsed() });
      if (!HEALTH.test(request.url)) line?.write(log);
      done();
    });
    this.#readJson(server);
    this.#playground.install(server, this.#bounds);
  }

  /** Accepts JSON only: what forms of other sites can send is never read. */
  #readJson(server: FastifyInstance): void {
    const parse = server.getDefaultJsonParser('error', 'error');
    server.removeAllContentTypeParsers();
    server.addContentTypeParser('application/json', async (request: FastifyRequest) => {
      const { bytes } = await this.#bounds.readOf(request, bodyMaxOf(request));
      return new Promise<unknown>((resolve, reject) => {
        void parse(request, bytes.toString('utf8'), (error, value) => (error ? reject(error) : resolve(value)));
      });
    });
  }

  #check(request: FastifyRequest, reply: FastifyReply, pass: () => void): void {
    const { own, proxies } = this.#settings;
    const address = clientAddress(request.raw, proxies);
    const line = new RequestLine<ConsoleRequestFields>(request.id);
    line.note({ method: request.method, route: request.routeOptions.url ?? 'unrouted', address });
    request.line = line;
    reply.raw.once('close', () => request.held?.release());
    void reply.headers({ ...securityHeaders(own.isSecure), 'x-request-id': request.id });
    try {
      if (!HTTP_VERSIONS.has(request.raw.httpVersion)) return refuseVersion(request, reply);
      if (this.#bounds.isBeyond(request.raw) && !HEALTH.test(request.url)) throw noRoom(reply);
      const isTransfer = this.#transfers.takes(request.url);
      if (!isTransfer) boundArrival(request.raw, reply.raw);
      if (isTransfer || this.#mcp.takes(request.url)) return this.#handOver(request, reply, { address, line });
      checkRequest(request, own);
      if (request.is404) throw new ServiceError('not_found', 'Nothing is served at this address.');
      if (isPublicRoute(request)) return pass();
    } catch (error) {
      return sendError(request, reply, error);
    }
    this.#admit(request, reply).then(pass, (error: unknown) => sendError(request, reply, error));
    return undefined;
  }

  async #admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const signedIn = await this.#tokens.read(request.headers);
    request.signedIn = signedIn;
    request.line?.note({ user_id: signedIn.user, account_id: signedIn.account });
    this.#bounds.hold(request.raw, reply.raw, signedIn.account);
  }

  /** Passes a request to what reads the socket itself. Security headers and log line stay those of the console. */
  #handOver(
    { raw, url }: FastifyRequest,
    reply: FastifyReply,
    { address, line }: { address: string; line: RequestLine<ConsoleRequestFields> },
  ): void {
    reply.hijack();
    for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) reply.raw.setHeader(name, value);
    if (this.#transfers.takes(url)) return void this.#transfers.serve({ request: raw, response: reply.raw, line });
    line.note({ route: 'mcp' });
    void this.#mcp.serve(raw, reply.raw, { address, line });
    return undefined;
  }
}

const bodyMaxOf = ({ signedIn, url }: FastifyRequest): number => {
  if (!signedIn) return BODY_MAX.public;
  return ADDS_EXAMPLES.test(url) ? BODY_MAX.examples : BODY_MAX.signedIn;
};

/** Closes the connection of a request that is not complete in time, as the server's own bound would: that holds for all or none. */
function boundArrival(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request;
  const timer = setTimeout(() => {
    over();
    if (request.complete || socket.destroyed) return;
    if (!response.headersSent) socket.write('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n');
    socket.destroySoon();
  }, ARRIVAL_MS).unref();
  const over = (): void => {
    clearTimeout(timer);
    socket.off('close', over);
  };
  response.once('close', () => {
    if (request.complete || socket.destroyed) return over();
    // What is still to come of a request that has its answer is bounded too. Nothing keeps the request in memory after that.
    socket.once('close', over);
    return void request.once('end', over);
  });
}

/** Closes the connection, since the rest of its bytes cannot be parsed reliably. */
function refuseVersion(request: FastifyRequest, reply: FastifyReply): void {
  void reply.header('connection', 'close');
  sendError(request, reply, new ServiceError('invalid_request', 'This server supports HTTP/1.1 and HTTP/1.0 only.'), 505);
}

function noRoom(reply: FastifyReply): ServiceError {
  void reply.header('connection', 'close');
  return new ServiceError('overloaded', 'The console has reached its number of connections; try again soon.', { retryAfterS: 5 });
}
