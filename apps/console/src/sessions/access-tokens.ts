import type { IncomingHttpHeaders } from 'node:http';
import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import { isServiceError, ServiceError } from '@slipway/contracts';
import { type Decide, decideBy } from '@slipway/platform';
import type { ProofReader, ProvenPerson } from '@slipway/proof';
import type { FastifyRequest } from 'fastify';
import { HeaderAPIKeyStrategy } from 'passport-headerapikey';

const BEARER = /^bearer +([\w.-]+)$/i;
const SIGN_IN_FIRST = new ServiceError('session_ended', 'Sign in first.');

/** A signed-in person, as the session token proves. */
export interface SignedIn extends ProvenPerson {
  /** The token itself, which services require for calls on this person's behalf. */
  readonly proof: string;
}

/** Checks session tokens by a passport strategy. */
export class AccessTokens {
  readonly #decide: Decide<SignedIn>;

  constructor(proofs: Pick<ProofReader, 'readPerson'>) {
    const strategy = new HeaderAPIKeyStrategy({ header: 'Authorization', prefix: 'Bearer ' }, false, (token, verified) => {
      proofs.readPerson(token).then(
        (person) => verified(null, { ...person, proof: token }),
        (error: unknown) => (isServiceError(error) ? verified(null, undefined, error) : verified(error as Error)),
      );
    });
    this.#decide = decideBy(strategy, SIGN_IN_FIRST);
  }

  /**
   * The person whose bearer token a request carries.
   * @throws ServiceError `session_ended` without a valid token, the same for every invalid one; `auth_unavailable`
   */
  async read({ authorization }: Pick<IncomingHttpHeaders, 'authorization'>): Promise<SignedIn> {
    const token = BEARER.exec(authorization ?? '')?.[1];
    // The scheme may have any case and several spaces; the strategy accepts one form.
    const verdict = token === undefined ? SIGN_IN_FIRST : await this.#decide({ headers: { authorization: `Bearer ${token}` } });
    if (verdict instanceof ServiceError) throw verdict;
    return verdict;
  }
}

/** Requires that the request gate found a session. */
@Injectable()
export class SessionGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (context.switchToHttp().getRequest<FastifyRequest>().signedIn !== undefined) return true;
    throw new ServiceError('session_ended', 'Sign in first.');
  }
}

/** Parameter decorator: the signed-in person, on routes with `SessionGuard`. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): SignedIn => {
  const { signedIn } = context.switchToHttp().getRequest<FastifyRequest>();
  if (signedIn === undefined) throw new Error('This route lacks the session guard.');
  return signedIn;
});
