import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import { ServiceError } from '@slipway/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { answerError } from './answer.js';
import type { WireRefusals } from './wire-refusals.js';

/** Answers what a controller threw, and the rare target that Nest itself finds no route for. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(private readonly refusals: WireRefusals) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const { exchange, raw } = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    reply.hijack();
    const error = thrown instanceof HttpException ? new ServiceError('not_found', 'There is nothing here.') : thrown;
    // Nest refuses some targets, such as `*`, before the gate has seen them.
    if (exchange) answerError(exchange, error);
    else this.refusals.unseen(raw, reply.raw, error);
  }
}
