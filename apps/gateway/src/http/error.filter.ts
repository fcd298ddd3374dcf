import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import { ServiceError } from '@slipway/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { answerError } from './answer.js';

/** Answers what a controller threw, and the rare target that Nest itself finds no route for. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const { exchange } = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    reply.hijack();
    if (!exchange) {
      // Nest refuses some targets, such as `*`, before the gate has seen them.
      reply.raw.writeHead(404, { 'content-length': 0, connection: 'close' }).end();
      return;
    }
    answerError(exchange, thrown instanceof HttpException ? new ServiceError('not_found', 'There is nothing here.') : thrown);
  }
}
