import type { PipeTransform } from '@nestjs/common';
import { ServiceError } from '@slipway/contracts';
import type { z } from 'zod';

/** Checks a body against its schema: `@Body(bodyOf(SignInBody))`. */
class BodyPipe<S extends z.ZodType> implements PipeTransform<unknown, z.output<S>> {
  constructor(private readonly schema: S) {}

  transform(body: unknown): z.output<S> {
    const parsed = this.schema.safeParse(body ?? {});
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    throw new ServiceError('invalid_request', issue?.message ?? 'The request is not valid.', { param: issue?.path.join('.') });
  }
}

/** @throws ServiceError `invalid_request` naming the field, from the pipe */
export const bodyOf = <S extends z.ZodType>(schema: S): BodyPipe<S> => new BodyPipe(schema);
