import { createServer, type RequestListener, type Server } from 'node:http';
import { fastifyCookie } from '@fastify/cookie';
import type { INestApplication } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { ServiceError } from '@slipway/contracts';
import { type HttpDoor, nuid } from '@slipway/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ConsoleConfig } from '../config.js';
import { McpEndpoints } from '../mcp/mcp-endpoints.js';
import { sendError, ErrorFilter } from './http-errors.js';
import { OwnOrigin } from './own-origin.js';
import { RequestBounds } from './request-bounds.js';
import { RequestGate, securityHeaders } from './request-gate.js';

/** Times in milliseconds, sizes in bytes. */
const LIMITS = {
  headersTimeout: 10_000,
  /** None for all: the gate bounds every request but a transfer. */
  requestTimeout: 0,
  /** Interval at which the first timeout is checked. */
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 75_000,
  maxHeaderSize: 16 * 1024,
} as const;

/** The console's HTTP server: Fastify with the request gate in front of every route. */
export function consoleDoor({ CONSOLE_HOST: host, CONSOLE_PORT: port }: ConsoleConfig): HttpDoor {
  const servers: Server[] = [];
  let bounds: RequestBounds | undefined;
  let own: OwnOrigin | undefined;
  const adapter = new FastifyAdapter({
    // A name such as `localhost` has several addresses; Fastify creates a server for each when it listens.
    serverFactory: (handler: RequestListener): Server => {
      const server = createServer({ ...LIMITS }, handler);
      servers.push(server);
      bounds?.watch(server);
      return server;
    },
    forceCloseConnections: 'idle',
    genReqId: () => `req_${nuid.next()}`,
    routerOptions: { caseSensitive: true, ignoreTrailingSlash: false, ignoreDuplicateSlashes: false },
    frameworkErrors: (_error: Error, request: FastifyRequest, reply: FastifyReply) => {
      void reply.headers(securityHeaders(own?.isSecure === true));
      sendError(request, reply, new ServiceError('invalid_path', 'The path is not valid.'));
    },
  });
  const install = (app: INestApplication): void => {
    const limits = app.get(RequestBounds);
    for (const server of servers) limits.watch(server);
    [own, bounds] = [app.get(OwnOrigin), limits];
    // Loaded when the server listens. `hook: false`: cookies are parsed where they are needed, not on every request.
    void adapter.getInstance().register(fastifyCookie, { hook: false });
    app.get(RequestGate).install(adapter.getInstance());
    app.useGlobalFilters(new ErrorFilter());
  };
  return { host, port, adapter, install, drain: (app) => app.get(McpEndpoints).close() };
}
