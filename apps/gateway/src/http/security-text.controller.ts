import { Controller, Get, Inject, Res } from '@nestjs/common';
import { ServiceError } from '@slipway/contracts';
import { securityText } from '@slipway/platform';
import type { FastifyReply } from 'fastify';
import { Accepts } from './accepts.decorator.js';
import { HTTP_SETTINGS, type HttpSettings } from './http-settings.js';

/** Tells strangers whom to write to of a fault that concerns security. */
@Controller()
export class SecurityTextController {
  constructor(@Inject(HTTP_SETTINGS) private readonly settings: HttpSettings) {}

  /** @throws ServiceError `not_found` where whoever runs this names nobody */
  @Get('.well-known/security.txt')
  @Accepts('none')
  read(@Res() reply: FastifyReply): void {
    const { securityContact } = this.settings;
    if (securityContact === undefined) throw new ServiceError('not_found', 'No contact for reports is named here.');
    void reply.header('content-type', 'text/plain; charset=utf-8').send(securityText(securityContact));
  }
}
