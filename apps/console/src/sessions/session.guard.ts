import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import { ServiceError } from '@slipway/contracts';
import type { FastifyRequest } from 'fastify';
import type { SignedIn } from './access-tokens.js';

/** Lets in whom the request gate found signed in, before it read the body. */
@Injectable()
export class SessionGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (context.switchToHttp().getRequest<FastifyRequest>().signedIn !== undefined) return true;
    throw new ServiceError('session_ended', 'Sign in first.');
  }
}

/** Who asks; behind `SessionGuard` only. */
export const Asking = createParamDecorator((_: unknown, context: ExecutionContext): SignedIn => {
  const { signedIn } = context.switchToHttp().getRequest<FastifyRequest>();
  if (signedIn === undefined) throw new Error('This route lacks the session guard.');
  return signedIn;
});
