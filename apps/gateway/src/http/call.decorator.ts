import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { InferenceCall } from './exchange.js';

/** The checked call of a route that accepts a deployment key. Its response is written past Nest and Fastify from here on. */
export const Call = createParamDecorator((_: unknown, context: ExecutionContext): InferenceCall => {
  const http = context.switchToHttp();
  const { call } = http.getRequest<FastifyRequest>();
  if (!call) throw new Error('The request gate did not see this request.');
  http.getResponse<FastifyReply>().hijack();
  return call;
});
