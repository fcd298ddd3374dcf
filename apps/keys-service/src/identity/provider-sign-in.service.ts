import { Injectable } from '@nestjs/common';
import { isServiceError, type Origin, ServiceError, type SessionTokens } from '@slipway/contracts';
import { RefusalLog, Transactions } from '@slipway/database';
import { SignInNoncesRepository } from './attempts.repository.js';
import { ExternalSignIn } from './external-sign-in.service.js';
import type { IdentityProvider, ProviderTokens, VerifiedIdentity } from './identity-provider.js';
import { newSecret } from './secrets.js';

/** Time to sign in at the provider, in milliseconds. */
const SIGN_IN_MS = 600_000;

/** The provider of this environment; null where people sign in by password only. */
export class ConfiguredProvider {
  constructor(readonly provider: IdentityProvider | null) {}
}

/** Begins and finishes sign-ins at the identity provider. It verifies the provider's tokens itself and trusts no statement of the console. */
@Injectable()
export class ProviderSignIn {
  constructor(
    private readonly configured: ConfiguredProvider,
    private readonly transactions: Transactions,
    private readonly nonces: SignInNoncesRepository,
    private readonly signIn: ExternalSignIn,
    private readonly refusals: RefusalLog,
  ) {}

  /** A nonce for one sign-in. @throws ServiceError `not_found` without a provider */
  async begin(): Promise<string> {
    this.#required();
    const nonce = newSecret();
    await this.transactions.run((tx) => this.nonces.insert(tx, nonce, new Date(Date.now() + SIGN_IN_MS)));
    return nonce;
  }

  /** @throws ServiceError `not_found`, `not_permitted`, `unavailable`, and what `ExternalSignIn` throws */
  async finish(tokens: ProviderTokens, invitation: string | undefined, origin: Origin): Promise<SessionTokens> {
    const provider = this.#required();
    try {
      return await this.#finish(await provider.verify(tokens), invitation, origin);
    } catch (error) {
      // The person is often not verified, so the refusal is in the operators' log, which bounds its entries.
      if (isServiceError(error) && error.code !== 'unavailable') {
        const object = 'sign_in:identity_provider';
        this.refusals.note({ action: 'session.sign_in_failed', object, reason: error.code, origin });
      }
      throw error;
    }
  }

  async #finish({ person, nonce }: VerifiedIdentity, invitation: string | undefined, origin: Origin): Promise<SessionTokens> {
    if (!(await this.transactions.run((tx) => this.nonces.take(tx, nonce)))) {
      throw new ServiceError('not_permitted', 'This sign-in was already finished, took too long, or did not begin here; try again.');
    }
    return this.signIn.signIn({ ...person, invitation }, origin);
  }

  #required(): IdentityProvider {
    if (this.configured.provider === null) throw new ServiceError('not_found', 'This installation has no identity provider to sign in by.');
    return this.configured.provider;
  }
}
