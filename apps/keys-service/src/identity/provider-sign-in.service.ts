import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { isServiceError, type Origin, ServiceError, type SessionTokens } from '@slipway/contracts';
import { RefusalLog, Transactions } from '@slipway/database';
import { ExternalSignInService } from './external-sign-in.service.js';
import type { IdentityProvider, ProviderTokens, VerifiedIdentity } from './identity-provider.js';
import { SignInAttemptsRepository } from './sign-in-attempts.repository.js';

/** Time to sign in at the provider, in milliseconds. */
const ATTEMPT_MS = 600_000;

/** The provider of this environment, null where people sign in by password alone. */
export class KnownProvider {
  constructor(readonly provider: IdentityProvider | null) {}
}

const hashOf = (nonce: string): Buffer => createHash('sha256').update(nonce).digest();

/** Sign-in by an identity provider from its first half to its second: what the door says of people counts for nothing. */
@Injectable()
export class ProviderSignIn {
  constructor(
    private readonly known: KnownProvider,
    private readonly transactions: Transactions,
    private readonly attempts: SignInAttemptsRepository,
    private readonly signIn: ExternalSignInService,
    private readonly refusals: RefusalLog,
  ) {}

  /** A nonce for one sign-in. @throws ServiceError `not_found` without a provider */
  async begin(): Promise<string> {
    this.#required();
    const nonce = randomBytes(32).toString('base64url');
    await this.transactions.run((tx) => this.attempts.begin(tx, hashOf(nonce), new Date(Date.now() + ATTEMPT_MS)));
    return nonce;
  }

  /** @throws ServiceError `not_found`, `not_permitted`, `unavailable`, and what `ExternalSignInService` refuses */
  async finish(tokens: ProviderTokens, invitation: string | undefined, origin: Origin): Promise<SessionTokens> {
    const provider = this.#required();
    try {
      return await this.#finish(await provider.verify(tokens), invitation, origin);
    } catch (error) {
      // Whom it concerns is often not proven: operators read of it, in a number of entries that is bounded.
      if (isServiceError(error) && error.code !== 'unavailable') {
        const object = 'sign_in:identity_provider';
        this.refusals.note({ action: 'session.sign_in_failed', object, reason: error.code, origin });
      }
      throw error;
    }
  }

  async #finish({ person, nonce }: VerifiedIdentity, invitation: string | undefined, origin: Origin): Promise<SessionTokens> {
    if (!(await this.transactions.run((tx) => this.attempts.finish(tx, hashOf(nonce))))) {
      throw new ServiceError('not_permitted', 'This sign-in was finished already, took too long, or was not begun here; try again.');
    }
    return this.signIn.signIn({ ...person, invitation }, origin);
  }

  #required(): IdentityProvider {
    if (this.known.provider === null) throw new ServiceError('not_found', 'Nobody signs in by an identity provider here.');
    return this.known.provider;
  }
}
