import { createServer, type RequestListener, type Server } from 'node:http';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { ServiceError } from '@slipway/contracts';
import { NestLogger, nuid } from '@slipway/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { answerError } from './answer-error.js';
import { ErrorFilter } from './error.filter.js';
import { HttpSettings } from './http-settings.js';
import type { RequestBounds } from './request-bounds.js';
import { RequestGate, type RawDoors } from './request-gate.js';
import { securityHeaders } from './security-headers.js';

type NestModule = Parameters<typeof NestFactory.create>[0];

/** Times in milliseconds, sizes in bytes. */
const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  /** How often the two above are looked at. */
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 75_000,
  maxHeaderSize: 16 * 1024,
} as const;

/** The Nest application of a console, ready to listen. Signals stay with the process. */
export async function createHttpApplication(
  module: NestModule,
  settings: HttpSettings,
  { bounds, ...doors }: RawDoors & { readonly bounds: RequestBounds },
): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({
    serverFactory: (handler: RequestListener): Server => {
      const server = createServer({ ...LIMITS }, handler);
      bounds.watch(server);
      return server;
    },
    forceCloseConnections: 'idle',
    genReqId: () => `req_${nuid.next()}`,
    routerOptions: { caseSensitive: true, ignoreTrailingSlash: false, ignoreDuplicateSlashes: false },
    frameworkErrors: (_error: Error, request: FastifyRequest, reply: FastifyReply) => {
      void reply.headers(securityHeaders(settings.own.isSecure));
      answerError(request, reply, new ServiceError('invalid_path', 'The path is not valid.'));
    },
  });
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    bodyParser: false,
    logger: new NestLogger(settings.log),
    abortOnError: false,
  });
  new RequestGate(settings, bounds, doors).install(adapter.getInstance());
  app.useGlobalFilters(new ErrorFilter());
  return app;
}
