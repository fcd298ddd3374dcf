import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import { Controller, Get, Module, type OnModuleInit, Req, Res } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { AccountSlug, ServiceError } from '@slipway/contracts';
import { configured } from '@slipway/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ConsoleConfig } from '../config.js';
import { PublicRoute } from '../http/route-declarations.js';

/** Extensions of the compressed copies that the dashboard's build makes. */
const COPY = /\.(?:br|gz)$/;

/** The file names of the built dashboard, read once. Requests for other paths never reach the file system. */
export class DashboardFiles {
  readonly #paths: ReadonlySet<string>;

  private constructor(
    /** Folder of the build, absolute. */
    readonly root: string,
    paths: readonly string[],
  ) {
    this.#paths = new Set(paths);
  }

  /** Lists the files of a build; a missing folder has none. */
  static async load(folder: string): Promise<DashboardFiles> {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
    const files = entries.filter((entry) => entry.isFile() && !COPY.test(entry.name));
    const paths = files.map((entry) => `/${relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/')}`);
    return new DashboardFiles(folder, paths);
  }

  /** Whether the dashboard was built. */
  get areBuilt(): boolean {
    return this.has('/index.html');
  }

  /** @param path as in a URL, from the slash on */
  has(path: string): boolean {
    return this.#paths.has(path);
  }
}

const INDEX = '/index.html';
/** Pages of people who are not signed in. */
const OUTER_PAGES: ReadonlySet<string> = new Set(['sign-in', 'join']);
/** Addresses of the inference API, whose clients must not get a page. */
const INFERENCE = /\/v1(?:\/|$)/;
/** Paths at which programs expect documents and must not get a page. */
const NO_PAGES = /^\/(?:api|mcp|assets|\.well-known)(?:\/|$)/;
/** Paths of files whose names change with their content. */
const HASHED = /^\/assets\//;

/** Content security policy of pages: own files only, no inline scripts or styles. */
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

/** Serves the built dashboard as static files, with the compressed copies of its build. */
@Controller()
class DashboardController implements OnModuleInit {
  constructor(
    private readonly files: DashboardFiles,
    private readonly host: HttpAdapterHost<FastifyAdapter>,
  ) {}

  onModuleInit(): void {
    // Not awaited: Fastify loads the plugin when it listens; awaiting it would make Nest set its error handler too late.
    void this.host.httpAdapter.getInstance().register(fastifyStatic, {
      root: this.files.root,
      // Only the route of this controller serves files. The folder may be missing.
      ...{ serve: false, suppressWarning: true },
      ...{ preCompressed: true, acceptRanges: false, cacheControl: false, lastModified: false },
    });
  }

  @Get('*')
  @PublicRoute()
  serve(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const [path = '/'] = request.url.split('?');
    if (path !== INDEX && this.files.has(path)) return send(reply, path);
    const isPage = isPagePath(path);
    if (isPage && !this.files.areBuilt) {
      throw new ServiceError('not_found', 'The dashboard is not built here: run "npm run build" and start the console again.');
    }
    const isWanted = isPage || (!NO_PAGES.test(path) && (request.headers.accept ?? '').includes('text/html'));
    if (!this.files.areBuilt || !isWanted) throw new ServiceError('not_found', 'Nothing is served at this address.');
    if (isPage) return send(reply, INDEX);
    // With its ETag, a browser would get a 304 without the page instead of the 404.
    delete request.raw.headers['if-none-match'];
    return send(reply.code(404), INDEX);
  }
}

/**
 * Whether the application has a page at a path: everything under the name of an account, which the page itself knows better, and
 * under the names of screens, which had addresses without an account in earlier releases. No account has a reserved name.
 */
function isPagePath(path: string): boolean {
  if (NO_PAGES.test(path) || INFERENCE.test(path)) return false;
  const [, first = ''] = path.split('/');
  return path === '/' || OUTER_PAGES.has(first) || AccountSlug.safeParse(first).success;
}

function send(reply: FastifyReply, path: string): void {
  const cacheControl = HASHED.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache';
  void reply.headers({ 'cache-control': cacheControl, vary: 'accept-encoding', 'content-security-policy': POLICY }).sendFile(path);
}

/** The two apps are siblings in the repository and in the image. */
const BUILT_DASHBOARD = fileURLToPath(new URL('../../../dashboard/dist', import.meta.url));

@Module({
  controllers: [DashboardController],
  providers: [configured(DashboardFiles, ({ DASHBOARD_DIR: folder = BUILT_DASHBOARD }: ConsoleConfig) => DashboardFiles.load(folder))],
})
export class DashboardModule {}
