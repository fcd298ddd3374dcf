import type { FastifyReply, FastifyRequest } from 'fastify';
import { errorAnswer, toServiceError } from './error-answer.js';

/** Writes an error as the whole answer, and its reason into the request's log line. */
export function answerError(request: FastifyRequest, reply: FastifyReply, thrown: unknown): void {
  const error = toServiceError(thrown);
  request.line?.note({ error: error.code });
  if (error.code === 'internal' || error.cause !== undefined) request.line?.cause(error.cause ?? error);
  const { status, headers, body } = errorAnswer(error);
  // What is left of a body is read and dropped, so that the client gets to the answer and the connection can go on.
  if (!request.raw.complete) request.raw.resume();
  void reply.code(status).headers(headers).send(body);
}
