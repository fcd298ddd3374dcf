import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AcceptsAnybody } from './accepts.decorator.js';
import { HttpSettings } from './http-settings.js';

/** For load balancers: alive while the event loop turns, ready while requests can be answered. */
@Controller()
export class HealthController {
  constructor(private readonly settings: HttpSettings) {}

  @Get('livez')
  @AcceptsAnybody()
  live(@Res() reply: FastifyReply): void {
    answer(reply, null);
  }

  @Get('readyz')
  @AcceptsAnybody()
  ready(@Res() reply: FastifyReply): void {
    answer(reply, this.settings.notReady());
  }
}

function answer(reply: FastifyReply, fault: string | null): void {
  void reply
    .code(fault === null ? 200 : 503)
    .header('content-type', 'text/plain; charset=utf-8')
    .send(fault ?? 'ok');
}
