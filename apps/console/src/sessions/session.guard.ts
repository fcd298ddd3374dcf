import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AccessTokens, type SignedIn } from './access-tokens.js';
import { sessionTokenOf } from './session-token.js';

declare module 'fastify' {
  interface FastifyRequest {
    signedIn?: SignedIn;
  }
}

/** Lets in who sends a session token as `Authorization: Bearer`. */
@Injectable()
export class SessionGuard implements CanActivate {
  constructor(private readonly tokens: AccessTokens) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const signedIn = await this.tokens.read(sessionTokenOf(request.headers));
    request.signedIn = signedIn;
    request.line?.note({ user_id: signedIn.user, account_id: signedIn.account });
    return true;
  }
}

/** Who asks; behind `SessionGuard` only. */
export const Asking = createParamDecorator((_: unknown, context: ExecutionContext): SignedIn => {
  const { signedIn } = context.switchToHttp().getRequest<FastifyRequest>();
  if (signedIn === undefined) throw new Error('This route lacks the session guard.');
  return signedIn;
});
