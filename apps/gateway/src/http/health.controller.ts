import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { HTTP_SETTINGS, type HttpSettings } from './http-settings.js';
import { Accepts } from './accepts.decorator.js';

/** For load balancers: alive while the event loop turns, ready while requests can be answered. */
@Controller()
export class HealthController {
  constructor(@Inject(HTTP_SETTINGS) private readonly settings: HttpSettings) {}

  @Get('livez')
  @Accepts('none')
  live(@Res() reply: FastifyReply): void {
    answer(reply, null);
  }

  @Get('readyz')
  @Accepts('none')
  ready(@Res() reply: FastifyReply): void {
    answer(reply, this.settings.notReady());
  }
}

function answer(reply: FastifyReply, fault: string | null): void {
  void reply
    .code(fault === null ? 200 : 503)
    .headers({ 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' })
    .send(fault ?? 'ok');
}
