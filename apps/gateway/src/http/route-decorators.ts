import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { InferenceContext } from './request-context.js';

/** The credential that a route requires. */
type AcceptedCredential = 'deployment-key' | 'none';

/** Declares the credential of a route. Every route declares one, so that none is open by omission. */
export const Accepts = (credential: AcceptedCredential): MethodDecorator => RouteConfig({ credential });

/** The credential of the request's route; a key where the route declares none, or there is no route. */
export function acceptedCredential({ routeOptions }: FastifyRequest): AcceptedCredential {
  const { credential } = routeOptions.config as { credential?: AcceptedCredential };
  return credential === 'none' ? 'none' : 'deployment-key';
}

/** Injects the checked request of a route that requires a deployment key, and hijacks its response from Nest and Fastify. */
export const Context = createParamDecorator((_: unknown, host: ExecutionContext): InferenceContext => {
  const http = host.switchToHttp();
  const { inferenceContext } = http.getRequest<FastifyRequest>();
  if (!inferenceContext) throw new Error('The request gate did not see this request.');
  http.getResponse<FastifyReply>().hijack();
  return inferenceContext;
});
