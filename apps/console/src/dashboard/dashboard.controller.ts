import { Controller, Get, Req, Res } from '@nestjs/common';
import { ServiceError } from '@slipway/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AcceptsAnybody } from '../http/accepts.decorator.js';
import { type DashboardFile, DashboardFiles } from './dashboard-files.js';

/** Paths that the application draws itself; those of before named no account. */
const PAGES =
  /^\/(?:$|(?:sign-in|join)(?:\/|$)|(?:[a-z][a-z0-9-]{1,38}[a-z0-9]\/)?(?:deployments|api-keys|playground|usage|activity|members|account)(?:\/|$))/;
/** Never answered with a page: programs look there for documents, and would take one for theirs. */
const NO_PAGES = /^\/(?:api|mcp|assets|\.well-known)(?:\/|$)/;

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

/** Serves the dashboard as static files. */
@Controller()
export class DashboardController {
  constructor(private readonly files: DashboardFiles) {}

  @Get('*')
  @AcceptsAnybody()
  serve(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const [path = '/'] = request.url.split('?');
    const file = this.files.find(path);
    if (file && !file.isPage) return send(request, reply, file);
    if (!this.files.page && PAGES.test(path)) {
      throw new ServiceError('not_found', 'The dashboard is not built here: run "npm run build" and start the console again.');
    }
    const isWanted = PAGES.test(path) || (!NO_PAGES.test(path) && (request.headers.accept ?? '').includes('text/html'));
    if (!this.files.page || !isWanted) throw new ServiceError('not_found', 'There is nothing here.');
    return send(request, reply.code(PAGES.test(path) ? 200 : 404), this.files.page);
  }
}

function send(request: FastifyRequest, reply: FastifyReply, file: DashboardFile): void {
  const { etag, cacheControl, type } = file;
  void reply.headers({ 'cache-control': cacheControl, etag, vary: 'accept-encoding', 'content-security-policy': POLICY });
  if (request.headers['if-none-match'] === etag && reply.statusCode === 200) {
    void reply.code(304).send();
    return;
  }
  const { encoding, bytes } = bestOf(file, request.headers['accept-encoding'] ?? '');
  if (encoding !== null) void reply.header('content-encoding', encoding);
  void reply.type(type).send(bytes);
}

function bestOf({ plain, gzip, br }: DashboardFile, accepted: string): { encoding: string | null; bytes: Buffer } {
  if (br && /\bbr\b/.test(accepted)) return { encoding: 'br', bytes: br };
  if (gzip && /\bgzip\b/.test(accepted)) return { encoding: 'gzip', bytes: gzip };
  return { encoding: null, bytes: plain };
}
