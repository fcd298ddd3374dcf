import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';

/** Declares that a route answers without a session. Routes that say nothing ask for one, before their body is read. */
export const AcceptsAnybody = (): MethodDecorator => RouteConfig({ acceptsAnybody: true });

/** Whether the request's route answers without a session. */
export const acceptsAnybody = ({ routeOptions }: FastifyRequest): boolean =>
  (routeOptions.config as { acceptsAnybody?: boolean }).acceptsAnybody === true;
