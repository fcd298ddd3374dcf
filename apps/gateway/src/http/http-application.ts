import type { RequestListener } from 'node:http';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from '@slipway/platform';
import { NestLogger } from '@slipway/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ErrorFilter } from './error.filter.js';
import { RequestGate } from './request-gate.js';
import { createLimitedServer, LIMITS } from './server-limits.js';

type NestModule = Parameters<typeof NestFactory.create>[0];

/** Fastify on our own server, strict in its routes. */
export function createHttpAdapter(): FastifyAdapter {
  const adapter: FastifyAdapter = new FastifyAdapter({
    serverFactory: (handler: RequestListener) => createLimitedServer(handler),
    routerOptions: { caseSensitive: true, ignoreTrailingSlash: false, ignoreDuplicateSlashes: false, maxParamLength: LIMITS.maxHeaderSize },
    frameworkErrors: (_error: Error, request: FastifyRequest, reply: FastifyReply) => {
      reply.hijack();
      gates.get(adapter)?.refuseTarget(request.raw, reply.raw);
    },
  });
  return adapter;
}

/** The router answers targets it cannot read before any hook runs, from options made before the gate exists. */
const gates = new WeakMap<FastifyAdapter, RequestGate>();

/** Installs what Nest's own defaults would do otherwise: body parsing, the order of checks, error bodies. */
export function prepareHttpApplication(app: NestFastifyApplication): void {
  const adapter = app.getHttpAdapter() as unknown as FastifyAdapter;
  const server = adapter.getInstance();
  const gate = app.get(RequestGate);
  gates.set(adapter, gate);
  // Bodies stay in the socket until the surface's own reader asks for them.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', (_request, _payload, done) => done(null));
  gate.install(server);
  app.useGlobalFilters(new ErrorFilter());
}

/** The Nest application of a gateway, ready to listen. Signals stay with the process. */
export async function createHttpApplication(module: NestModule, log: Logger): Promise<NestFastifyApplication> {
  const app = await NestFactory.create<NestFastifyApplication>(module, createHttpAdapter(), {
    bodyParser: false,
    logger: new NestLogger(log),
    abortOnError: false,
  });
  prepareHttpApplication(app);
  return app;
}
