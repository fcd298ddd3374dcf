import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';

/** What a route asks of its callers. */
type AcceptedCredential = 'deployment-key' | 'none';

/** Declares which credential opens a route; every route says it, so that none is open by omission. */
export const Accepts = (credential: AcceptedCredential): MethodDecorator => RouteConfig({ credential });

/** The credential that the request's route asks for. Routes that say nothing, and no route at all, ask for a key. */
export function acceptedCredential({ routeOptions }: FastifyRequest): AcceptedCredential {
  const { credential } = routeOptions.config as { credential?: AcceptedCredential };
  return credential === 'none' ? 'none' : 'deployment-key';
}
