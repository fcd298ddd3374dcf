import { Controller, Get, Inject, Res } from '@nestjs/common';
import { ServiceError } from '@slipway/contracts';
import { securityText } from '@slipway/platform';
import type { FastifyReply } from 'fastify';
import { HTTP_SETTINGS, type HttpSettings } from '../tokens.js';
import { Accepts } from './request-context.js';

/** Health checks: alive while the event loop runs, ready while requests can be answered. */
@Controller()
export class HealthController {
  constructor(@Inject(HTTP_SETTINGS) private readonly settings: HttpSettings) {}

  @Get('livez')
  @Accepts('none')
  live(@Res() reply: FastifyReply): void {
    send(reply, null);
  }

  @Get('readyz')
  @Accepts('none')
  ready(@Res() reply: FastifyReply): void {
    send(reply, this.settings.notReady());
  }
}

function send(reply: FastifyReply, fault: string | null): void {
  void reply
    .code(fault === null ? 200 : 503)
    .headers({ 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' })
    .send(fault ?? 'ok');
}

/** The contact for security reports (RFC 9116). */
@Controller()
export class SecurityTextController {
  constructor(@Inject(HTTP_SETTINGS) private readonly settings: HttpSettings) {}

  /** @throws ServiceError `not_found` where the operator has configured no contact */
  @Get('.well-known/security.txt')
  @Accepts('none')
  read(@Res() reply: FastifyReply): void {
    const { securityContact } = this.settings;
    if (securityContact === undefined) throw new ServiceError('not_found', 'No contact for reports is named here.');
    void reply.header('content-type', 'text/plain; charset=utf-8').send(securityText(securityContact));
  }
}
