import fastifyStatic from '@fastify/static';
import { Controller, Get, type OnModuleInit, Req, Res } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { ServiceError } from '@slipway/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AcceptsAnybody } from '../http/accepts.decorator.js';
import { DashboardFiles } from './dashboard-files.js';

const INDEX = '/index.html';
/** Paths of the application's own pages; those without an account are of earlier releases. */
const PAGES =
  /^\/(?:$|(?:sign-in|join)(?:\/|$)|(?:[a-z][a-z0-9-]{1,38}[a-z0-9]\/)?(?:deployments|api-keys|playground|usage|activity|members|account)(?:\/|$))/;
/** Paths where programs look for documents: a page would be mistaken for one. */
const NO_PAGES = /^\/(?:api|mcp|assets|\.well-known)(?:\/|$)/;
/** Paths of files whose names change with their content. */
const HASHED = /^\/assets\//;

/** What a page of the dashboard may load: its own files, and nothing written into its markup. */
const POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** Serves the dashboard as static files, compressed as its build left them. */
@Controller()
export class DashboardController implements OnModuleInit {
  constructor(
    private readonly files: DashboardFiles,
    private readonly host: HttpAdapterHost<FastifyAdapter>,
  ) {}

  onModuleInit(): void {
    // Not awaited: Fastify loads it when it listens, and would otherwise take Nest's error handler for too late.
    void this.host.httpAdapter.getInstance().register(fastifyStatic, {
      root: this.files.root,
      // Routes are those of this controller; the folder may be missing, and then has no files.
      ...{ serve: false, suppressWarning: true },
      ...{ preCompressed: true, acceptRanges: false, cacheControl: false, lastModified: false },
    });
  }

  @Get('*')
  @AcceptsAnybody()
  serve(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const [path = '/'] = request.url.split('?');
    if (path !== INDEX && this.files.has(path)) return send(reply, path);
    const isPage = PAGES.test(path);
    if (isPage && !this.files.areBuilt) {
      throw new ServiceError('not_found', 'The dashboard is not built here: run "npm run build" and start the console again.');
    }
    const isWanted = isPage || (!NO_PAGES.test(path) && (request.headers.accept ?? '').includes('text/html'));
    if (!this.files.areBuilt || !isWanted) throw new ServiceError('not_found', 'There is nothing here.');
    if (isPage) return send(reply, INDEX);
    // A browser that knows the page would get an empty 404 for it.
    delete request.raw.headers['if-none-match'];
    return send(reply.code(404), INDEX);
  }
}

function send(reply: FastifyReply, path: string): void {
  const cacheControl = HASHED.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache';
  void reply.headers({ 'cache-control': cacheControl, vary: 'accept-encoding', 'content-security-policy': POLICY }).sendFile(path);
}
