import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { NestLogger, nuid } from '@slipway/platform';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { answerError } from './answer-error.js';
import { clientAddress } from './client-address.js';
import { ErrorFilter } from './error.filter.js';
import type { McpDoor } from '../mcp/mcp-door.js';
import type { PlaygroundDoor } from '../playground/playground-door.js';
import { HttpSettings } from './http-settings.js';
import { checkRequest } from './request-checks.js';
import { RequestLine } from './request-line.js';
import { securityHeaders } from './security-headers.js';

type NestModule = Parameters<typeof NestFactory.create>[0];

declare module 'fastify' {
  interface FastifyRequest {
    /** Absent of what Fastify refuses before any hook. */
    line: RequestLine | undefined;
  }
}

/** Times in milliseconds, sizes in bytes. */
const LIMITS = { body: 64 * 1024, headers: 16 * 1024, headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 75_000 } as const;
/** Paths that load balancers ask each second. */
const HEALTH = /^\/(livez|readyz)$/;

/** What answers without Nest: bodies and answers of theirs are streams. */
export interface RawDoors {
  readonly mcp: McpDoor;
  readonly playground: PlaygroundDoor;
}

/** The Nest application of a console, ready to listen. Signals stay with the process. */
export async function createHttpApplication(module: NestModule, settings: HttpSettings, doors: RawDoors): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({
    bodyLimit: LIMITS.body,
    requestTimeout: LIMITS.requestTimeout,
    keepAliveTimeout: LIMITS.keepAliveTimeout,
    http: { headersTimeout: LIMITS.headersTimeout, maxHeaderSize: LIMITS.headers },
    forceCloseConnections: 'idle',
    genReqId: () => `req_${nuid.next()}`,
    routerOptions: { caseSensitive: true, ignoreTrailingSlash: false, ignoreDuplicateSlashes: false },
    frameworkErrors: (_error: Error, request: FastifyRequest, reply: FastifyReply) => {
      void reply
        .headers(securityHeaders(settings.own.isSecure))
        .code(400)
        .send({ error: { code: 'invalid_path', message: 'The path is not valid.' } });
    },
  });
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    bodyParser: false,
    logger: new NestLogger(settings.log),
    abortOnError: false,
  });
  install(adapter.getInstance(), settings, doors);
  app.useGlobalFilters(new ErrorFilter());
  return app;
}

/** What holds for every request, whatever route it takes. */
function install(server: FastifyInstance, settings: HttpSettings, { mcp, playground }: RawDoors): void {
  const { own, log, proxies } = settings;
  const common = securityHeaders(own.isSecure);
  // JSON alone: what forms of other sites may send is never read.
  server.removeContentTypeParser('text/plain');
  server.decorateRequest('line', undefined);
  server.addHook('onRequest', (request, reply, done) => {
    request.line = new RequestLine();
    request.line.note({
      method: request.method,
      route: request.routeOptions.url ?? 'unrouted',
      address: clientAddress(request.raw, proxies),
    });
    void reply.headers({ ...common, 'x-request-id': request.id });
    if (mcp.takes(request.url)) return handOver(request, reply, { mcp, proxies });
    try {
      checkRequest(request, own);
      done();
    } catch (error) {
      answerError(request, reply, error);
    }
  });
  server.addHook('onResponse', (request, reply, done) => {
    request.line?.note({ status: reply.statusCode });
    if (!HEALTH.test(request.routeOptions.url ?? '')) request.line?.write(log, request.id);
    done();
  });
  playground.install(server);
}

/** Agents have rules of their own, and their server reads the socket itself. The headers and the log line stay ours. */
function handOver(request: FastifyRequest, reply: FastifyReply, { mcp, proxies }: { mcp: McpDoor; proxies: number }): void {
  reply.hijack();
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) reply.raw.setHeader(name, value);
  const line = request.line ?? new RequestLine();
  line.note({ route: 'mcp' });
  void mcp.serve(request.raw, reply.raw, { address: clientAddress(request.raw, proxies), line });
}
