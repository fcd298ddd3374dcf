import type { RequestListener, Server } from 'node:http';
import type { INestApplication } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { HttpDoor } from '@slipway/platform';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GatewayConfig } from '../config.js';
import { InferenceService } from '../inference/inference.service.js';
import { Connections, RESERVE } from './connections.js';
import { ErrorFilter } from './error.filter.js';
import { Exchanges } from './exchanges.js';
import { RequestGate } from './request-gate.js';
import { type ConnectionWatch, createLimitedServer, LIMITS } from './server-limits.js';
import { Shutdown } from './shutdown.js';
import type { WireRefusals } from './wire-refusals.js';

/** Nest ends each route by sending what its method returned; a response that was taken over is past Nest and Fastify. */
class RelayingAdapter extends FastifyAdapter {
  override reply(...args: Parameters<FastifyAdapter['reply']>): ReturnType<FastifyAdapter['reply']> {
    const [response] = args;
    return 'sent' in response && response.sent ? response : super.reply(...args);
  }
}

/** The gateway's HTTP door: Fastify on servers of its own, strict in its routes, with the request gate in front of them. */
export function gatewayDoor({ HOST: host, PORT: port, CONNECTIONS_MAX: most }: GatewayConfig): HttpDoor {
  // A name such as `localhost` stands for several addresses: Fastify makes more servers when it listens.
  const servers: Server[] = [];
  // The server and the router exist before the container does, and refuse some requests before any hook runs.
  let refusals: WireRefusals | undefined;
  let connections: Connections | undefined;
  const watch: ConnectionWatch = {
    opened: (socket) => connections?.opened(socket),
    began: (socket, response) => connections?.began(socket, response),
  };
  const adapter = new RelayingAdapter({
    serverFactory: (handler: RequestListener) => {
      const server = createLimitedServer(handler, (request, response) => refusals?.pipelined(request, response), watch);
      server.maxConnections = most + RESERVE;
      servers.push(server);
      return server;
    },
    clientErrorHandler: (error, socket) => refusals?.syntax(error, socket),
    routerOptions: { caseSensitive: true, ignoreTrailingSlash: false, ignoreDuplicateSlashes: false, maxParamLength: LIMITS.maxHeaderSize },
    frameworkErrors: (_error: Error, request: FastifyRequest, reply: FastifyReply) => {
      reply.hijack();
      refusals?.target(request.raw, reply.raw);
    },
  });
  const install = (app: INestApplication): void => {
    const gate = app.get(RequestGate);
    connections = app.get(Connections);
    ({ refusals } = gate);
    leaveBodiesUnread(adapter.getInstance());
    gate.install(adapter.getInstance());
    app.useGlobalFilters(new ErrorFilter(gate.refusals));
  };
  const drain = (app: INestApplication, deadlineMs: number): Promise<void> => {
    const [exchanges, inference] = [app.get(Exchanges), app.get(InferenceService)];
    return app.get(Shutdown).drain({ servers, exchanges, inference }, deadlineMs);
  };
  return { host, port, adapter, install, drain };
}

/** Bodies stay in the socket until the surface's own reader asks for them. */
function leaveBodiesUnread(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', (_request, _payload, done) => done(null));
}
