import { Injectable } from '@nestjs/common';
import { ServiceError } from '@slipway/contracts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { McpDoor } from '../mcp/mcp-door.js';
import { PlaygroundDoor } from '../playground/playground-door.js';
import { AccessTokens } from '../sessions/access-tokens.js';
import { acceptsAnybody } from './accepts.decorator.js';
import { answerError } from './answer-error.js';
import { clientAddress } from './client-address.js';
import { HttpSettings } from './http-settings.js';
import { RequestBounds } from './request-bounds.js';
import { checkRequest } from './request-checks.js';
import { RequestLine } from './request-line.js';
import { securityHeaders } from './security-headers.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Absent of what Fastify refuses before any hook. */
    line: RequestLine | undefined;
  }
}

/** Largest body, in bytes: of who is signed in, and of anybody. */
const BODY_MAX = { signedIn: 64 * 1024, anybody: 8 * 1024 } as const;
const SPOKEN: ReadonlySet<string> = new Set(['1.0', '1.1']);
/** Paths that load balancers ask each second. */
const HEALTH = /^\/(?:livez|readyz)(?:\?|$)/;

/**
 * Everything that is checked before a byte of a body is read, in Fastify's `onRequest`: room, origin, route, session. The
 * first failure is the answer. The MCP server and the playground answer without Nest, since their bodies and answers are streams.
 */
@Injectable()
export class RequestGate {
  readonly #settings: HttpSettings;
  readonly #bounds: RequestBounds;
  readonly #mcp: McpDoor;
  readonly #playground: PlaygroundDoor;
  readonly #tokens: AccessTokens;

  constructor(settings: HttpSettings, bounds: RequestBounds, mcp: McpDoor, playground: PlaygroundDoor, tokens: AccessTokens) {
    this.#settings = settings;
    this.#bounds = bounds;
    this.#mcp = mcp;
    this.#playground = playground;
    this.#tokens = tokens;
  }

  install(server: FastifyInstance): void {
    const { log } = this.#settings;
    server.decorateRequest('line', undefined);
    server.addHook('onRequest', (request, reply, done) => this.#check(request, reply, done));
    server.addHook('onResponse', (request, reply, done) => {
      request.line?.note({ status: reply.statusCode });
      if (!HEALTH.test(request.url)) request.line?.write(log, request.id);
      done();
    });
    this.#readJson(server);
    this.#playground.install(server, this.#bounds);
  }

  /** JSON alone: what forms of other sites may send is never read. */
  #readJson(server: FastifyInstance): void {
    const parse = server.getDefaultJsonParser('error', 'error');
    server.removeAllContentTypeParsers();
    server.addContentTypeParser('application/json', async (request: FastifyRequest) => {
      const { bytes } = await this.#bounds.readOf(request, request.signedIn ? BODY_MAX.signedIn : BODY_MAX.anybody);
      return new Promise<unknown>((resolve, reject) => {
        void parse(request, bytes.toString('utf8'), (error, value) => (error ? reject(error) : resolve(value)));
      });
    });
  }

  #check(request: FastifyRequest, reply: FastifyReply, pass: () => void): void {
    const { own, proxies } = this.#settings;
    const address = clientAddress(request.raw, proxies);
    request.line = new RequestLine(address);
    request.line.note({ method: request.method, route: request.routeOptions.url ?? 'unrouted' });
    reply.raw.once('close', () => request.held?.release());
    void reply.headers({ ...securityHeaders(own.isSecure), 'x-request-id': request.id });
    try {
      if (!SPOKEN.has(request.raw.httpVersion)) return refuseVersion(request, reply);
      if (this.#bounds.isBeyond(request.raw) && !HEALTH.test(request.url)) throw noRoom(reply);
      if (this.#mcp.takes(request.url)) return this.#handOver(request, reply, address);
      checkRequest(request, own);
      if (request.is404) throw new ServiceError('not_found', 'There is nothing here.');
      if (acceptsAnybody(request)) return pass();
    } catch (error) {
      return answerError(request, reply, error);
    }
    this.#admit(request, reply).then(pass, (error: unknown) => answerError(request, reply, error));
    return undefined;
  }

  async #admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const signedIn = await this.#tokens.read(request.headers);
    request.signedIn = signedIn;
    request.line?.note({ user_id: signedIn.user, account_id: signedIn.account });
    this.#bounds.hold(request.raw, reply.raw, signedIn.account);
  }

  /** Agents have rules of their own, and their server reads the socket itself. The headers and the log line stay ours. */
  #handOver(request: FastifyRequest, reply: FastifyReply, address: string): void {
    reply.hijack();
    for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) reply.raw.setHeader(name, value);
    const line = request.line ?? new RequestLine(address);
    line.note({ route: 'mcp' });
    void this.#mcp.serve(request.raw, reply.raw, { address, line });
  }
}

/** Nothing that follows on the connection can be trusted. */
function refuseVersion(request: FastifyRequest, reply: FastifyReply): void {
  void reply.header('connection', 'close');
  answerError(request, reply, new ServiceError('invalid_request', 'This address speaks HTTP/1.1 and HTTP/1.0 only.'), 505);
}

function noRoom(reply: FastifyReply): ServiceError {
  void reply.header('connection', 'close');
  return new ServiceError('overloaded', 'The console has as many connections as it can hold; try again soon.', { retryAfterS: 5 });
}
