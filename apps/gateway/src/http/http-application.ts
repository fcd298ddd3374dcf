import type { RequestListener, Server } from 'node:http';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from '@slipway/platform';
import { NestLogger } from '@slipway/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ErrorFilter } from './error.filter.js';
import { RequestGate } from './request-gate.js';
import type { WireRefusals } from './wire-refusals.js';
import { type ConnectionWatch, createLimitedServer, LIMITS } from './server-limits.js';

type NestModule = Parameters<typeof NestFactory.create>[0];

/** Nest ends each route by sending what its method returned; a response that was taken over is past Nest and Fastify. */
class RelayingAdapter extends FastifyAdapter {
  override reply(...args: Parameters<FastifyAdapter['reply']>): ReturnType<FastifyAdapter['reply']> {
    const [response] = args;
    return 'sent' in response && response.sent ? response : super.reply(...args);
  }
}

/**
 * Fastify on our own server, strict in its routes.
 * @param servers is given every server that is made: a name such as `localhost` stands for several addresses.
 */
export function createHttpAdapter(connections: ConnectionWatch, servers: Server[] = []): FastifyAdapter {
  const adapter: FastifyAdapter = new RelayingAdapter({
    serverFactory: (handler: RequestListener) => {
      const server = createLimitedServer(handler, (request, response) => refusals.get(adapter)?.pipelined(request, response), connections);
      servers.push(server);
      return server;
    },
    clientErrorHandler: (error, socket) => refusals.get(adapter)?.syntax(error, socket),
    routerOptions: { caseSensitive: true, ignoreTrailingSlash: false, ignoreDuplicateSlashes: false, maxParamLength: LIMITS.maxHeaderSize },
    frameworkErrors: (_error: Error, request: FastifyRequest, reply: FastifyReply) => {
      reply.hijack();
      refusals.get(adapter)?.target(request.raw, reply.raw);
    },
  });
  return adapter;
}

/** The server and the router refuse some requests before any hook runs, through options that are older than the gate. */
const refusals = new WeakMap<FastifyAdapter, WireRefusals>();

/** Installs what Nest's own defaults would do otherwise: body parsing, the order of checks, error bodies. */
export function prepareHttpApplication(app: NestFastifyApplication): void {
  const adapter = app.getHttpAdapter() as unknown as FastifyAdapter;
  const server = adapter.getInstance();
  const gate = app.get(RequestGate);
  refusals.set(adapter, gate.refusals);
  // Bodies stay in the socket until the surface's own reader asks for them.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', (_request, _payload, done) => done(null));
  gate.install(server);
  app.useGlobalFilters(new ErrorFilter(gate.refusals));
}

/** A Nest application with the servers that it listens on. */
export interface HttpApplication {
  readonly app: NestFastifyApplication;
  readonly servers: readonly Server[];
}

/** The Nest application of a gateway, ready to listen. Signals stay with the process. */
export async function createHttpApplication(module: NestModule, connections: ConnectionWatch, log: Logger): Promise<HttpApplication> {
  const servers: Server[] = [];
  const app = await NestFactory.create<NestFastifyApplication>(module, createHttpAdapter(connections, servers), {
    bodyParser: false,
    logger: new NestLogger(log),
    abortOnError: false,
  });
  prepareHttpApplication(app);
  return { app, servers };
}
