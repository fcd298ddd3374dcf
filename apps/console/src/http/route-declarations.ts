import type { PipeTransform } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ServiceError } from '@slipway/contracts';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';

/** Declares a route that needs no session. All other routes require one before their body is read. */
export const PublicRoute = (): MethodDecorator => RouteConfig({ isPublicRoute: true });

/** True if the request's route needs no session. */
export const isPublicRoute = ({ routeOptions }: FastifyRequest): boolean =>
  (routeOptions.config as { isPublicRoute?: boolean }).isPublicRoute === true;

/** Checks a body against a schema. */
class BodyPipe<S extends z.ZodType> implements PipeTransform<unknown, z.output<S>> {
  constructor(private readonly schema: S) {}

  transform(body: unknown): z.output<S> {
    const parsed = this.schema.safeParse(body ?? {});
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    throw new ServiceError('invalid_request', issue?.message ?? 'The request is not valid.', { param: issue?.path.join('.') });
  }
}

/** A pipe for `@Body(bodyOf(SignInBody))`. It throws ServiceError `invalid_request` that names the field. */
export const bodyOf = <S extends z.ZodType>(schema: S): BodyPipe<S> => new BodyPipe(schema);
