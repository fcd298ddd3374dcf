import { dropBody } from '@slipway/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { errorAnswer, toServiceError } from './error-answer.js';

/**
 * Writes an error as the whole answer, and its reason into the request's log line.
 * @param status in place of the code's own
 */
export function answerError(request: FastifyRequest, reply: FastifyReply, thrown: unknown, status?: number): void {
  const error = toServiceError(thrown);
  request.line?.note({ error: error.code });
  if (error.code === 'internal' || error.cause !== undefined) request.line?.cause(error.cause ?? error);
  const { status: usual, headers, body } = errorAnswer(error);
  dropBody(request.raw);
  void reply
    .code(status ?? usual)
    .headers(headers)
    .send(body);
}
