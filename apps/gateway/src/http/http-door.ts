import type { RequestListener, Server } from 'node:http';
import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, type INestApplication } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { ServiceError } from '@slipway/contracts';
import type { HttpDoor } from '@slipway/platform';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GatewayConfig } from '../config.js';
import { InferenceService } from '../inference/inference.service.js';
import { Connections, RESERVE } from './connections.js';
import type { EarlyErrors } from './early-errors.js';
import { sendError } from './error-response.js';
import { RequestGate } from './request-gate.js';
import { RequestsInFlight } from './requests-in-flight.js';
import { type ConnectionWatch, createLimitedServer, LIMITS } from './server-limits.js';
import { Shutdown } from './shutdown.js';

/** Sends what a controller threw as an error response, and 404 where Nest finds no route. */
@Catch()
class ErrorFilter implements ExceptionFilter {
  constructor(private readonly earlyErrors: EarlyErrors) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const { requestContext: context, raw } = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    reply.hijack();
    const error = thrown instanceof HttpException ? new ServiceError('not_found', 'There is nothing here.') : thrown;
    // Nest rejects some targets, such as `*`, before the gate.
    if (context) sendError(context, error);
    else this.earlyErrors.beforeGate(raw, reply.raw, error);
  }
}

/** Nest sends what a route's method returned. A hijacked response is written by the gateway itself and skipped here. */
class RelayingAdapter extends FastifyAdapter {
  override reply(...args: Parameters<FastifyAdapter['reply']>): ReturnType<FastifyAdapter['reply']> {
    const [response] = args;
    return 'sent' in response && response.sent ? response : super.reply(...args);
  }
}

/** The gateway's HTTP server: Fastify with strict routes, behind the request gate. */
export function gatewayDoor({ HOST: host, PORT: port, CONNECTIONS_MAX: most }: GatewayConfig): HttpDoor {
  // Fastify creates one server for each address of a host name such as `localhost`.
  const servers: Server[] = [];
  // Server and router exist before the container, and reject some requests before any hook runs.
  let earlyErrors: EarlyErrors | undefined;
  let connections: Connections | undefined;
  const watch: ConnectionWatch = {
    opened: (socket) => connections?.opened(socket),
    began: (socket, response) => connections?.began(socket, response),
  };
  const adapter = new RelayingAdapter({
    serverFactory: (handler: RequestListener) => {
      const server = createLimitedServer(handler, (request, response) => earlyErrors?.pipelined(request, response), watch);
      server.maxConnections = most + RESERVE;
      servers.push(server);
      return server;
    },
    clientErrorHandler: (error, socket) => earlyErrors?.syntax(error, socket),
    routerOptions: { caseSensitive: true, ignoreTrailingSlash: false, ignoreDuplicateSlashes: false, maxParamLength: LIMITS.maxHeaderSize },
    frameworkErrors: (_error: Error, request: FastifyRequest, reply: FastifyReply) => {
      reply.hijack();
      earlyErrors?.target(request.raw, reply.raw);
    },
  });
  const install = (app: INestApplication): void => {
    const gate = app.get(RequestGate);
    connections = app.get(Connections);
    ({ earlyErrors } = gate);
    leaveBodiesUnread(adapter.getInstance());
    gate.install(adapter.getInstance());
    app.useGlobalFilters(new ErrorFilter(gate.earlyErrors));
  };
  const drain = (app: INestApplication, deadlineMs: number): Promise<void> => {
    const [inFlight, inference] = [app.get(RequestsInFlight), app.get(InferenceService)];
    return app.get(Shutdown).drain({ servers, inFlight, inference }, deadlineMs);
  };
  return { host, port, adapter, install, drain };
}

/**
 * Stops Fastify from parsing bodies: `readBody` reads them after the request gate. To Fastify a POST has no body then, which saves
 * a look-up by content type and an AsyncResource for each.
 */
function leaveBodiesUnread(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', (_request, _payload, done) => done(null));
  server.addHttpMethod('POST', { hasBody: false, overrideExisting: true });
}
