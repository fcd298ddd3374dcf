import { createHash } from 'node:crypto';
import { Controller, Get, Headers, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Accepts } from '../http/request-context.js';
import { SurfaceRegistry } from '../surfaces/registry.js';
import { HTTP_SETTINGS, type HttpSettings } from '../tokens.js';
import { openApiDocument } from './openapi-document.js';

/** Cache time, in seconds. */
const MAX_AGE_S = 300;

/** Serves the OpenAPI document, which is created once and needs no key. */
@Controller()
export class OpenApiController {
  readonly #body: Buffer;
  readonly #etag: string;

  constructor(surfaces: SurfaceRegistry, @Inject(HTTP_SETTINGS) { baseUrl }: HttpSettings) {
    this.#body = Buffer.from(JSON.stringify(openApiDocument(surfaces.all, baseUrl)));
    this.#etag = `"${createHash('sha256').update(this.#body).digest('base64url').slice(0, 22)}"`;
  }

  @Get('openapi.json')
  @Accepts('none')
  read(@Headers('if-none-match') known: string | undefined, @Res() reply: FastifyReply): void {
    const isKnown = known?.split(',').some((tag) => tag.trim().replace(/^W\//, '') === this.#etag) === true;
    void reply
      .code(isKnown ? 304 : 200)
      .headers({
        'cache-control': `public, max-age=${MAX_AGE_S}`,
        etag: this.#etag,
        ...(!isKnown && { 'content-type': 'application/json' }),
      })
      .send(isKnown ? null : this.#body);
  }
}
