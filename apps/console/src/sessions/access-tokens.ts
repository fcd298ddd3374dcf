import type { IncomingHttpHeaders } from 'node:http';
import { isServiceError, ServiceError } from '@slipway/contracts';
import { type Decide, decideBy } from '@slipway/platform';
import type { ProofReader, ProvenPerson } from '@slipway/proof';
import { HeaderAPIKeyStrategy } from 'passport-headerapikey';

const BEARER = /^bearer +([\w.-]+)$/i;
const SIGN_IN_FIRST = new ServiceError('session_ended', 'Sign in first.');

/** Who asks, as a session token proves. */
export interface SignedIn extends ProvenPerson {
  /** The token itself: services that are called on this person's behalf want it too. */
  readonly proof: string;
}

/** Reads session tokens, by a passport strategy. */
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
   * Who sent a request, by its bearer token.
   * @throws ServiceError `session_ended` without a token, and one answer for every token that opens nothing;
   *   `auth_unavailable`
   */
  async read({ authorization }: Pick<IncomingHttpHeaders, 'authorization'>): Promise<SignedIn> {
    const token = BEARER.exec(authorization ?? '')?.[1];
    // The scheme may be written in any case and with several spaces; the strategy knows one form.
    const verdict = token === undefined ? SIGN_IN_FIRST : await this.#decide({ headers: { authorization: `Bearer ${token}` } });
    if (verdict instanceof ServiceError) throw verdict;
    return verdict;
  }
}
