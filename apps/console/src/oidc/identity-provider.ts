import { ServiceError } from '@slipway/contracts';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  type Configuration,
  discovery,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import { z } from 'zod';
import type { OidcSettings } from './oidc-settings.js';
import { isUnanswered } from './unanswered.js';

/** Longest wait for the provider, in seconds. */
const TIMEOUT_S = 5;

/** What must come back unchanged, and what proves that it is we who began. */
export const Transaction = z.object({
  state: z.string().min(1).max(200),
  nonce: z.string().min(1).max(200),
  verifier: z.string().min(43).max(128),
  /** Link that is accepted by this sign-in. */
  invitation: z.string().max(100).optional(),
});
export type Transaction = z.infer<typeof Transaction>;

/** What the provider gave for a code. keys-service verifies it for itself. */
export interface ProviderTokens {
  readonly idToken: string;
  readonly accessToken: string;
}

/** An OpenID Connect provider: authorization code with PKCE, state and nonce, whatever of it the provider requires. */
export class IdentityProvider {
  #found: Promise<Configuration> | null = null;

  constructor(private readonly settings: OidcSettings) {}

  /** Where the browser goes to sign in, and what to remember meanwhile. @throws ServiceError `unavailable` */
  async begin(
    redirectUri: string,
    { nonce, invitation }: { nonce: string; invitation: string | undefined },
  ): Promise<{ url: string; transaction: Transaction }> {
    const provider = await this.#provider();
    const transaction: Transaction = {
      state: randomState(),
      nonce,
      verifier: randomPKCECodeVerifier(),
      ...(invitation !== undefined && { invitation }),
    };
    const url = buildAuthorizationUrl(provider, {
      redirect_uri: redirectUri,
      scope: this.settings.scopes,
      state: transaction.state,
      nonce: transaction.nonce,
      code_challenge: await calculatePKCECodeChallenge(transaction.verifier),
      code_challenge_method: 'S256',
    });
    return { url: url.href, transaction };
  }

  /**
   * Exchanges what the browser brought back for the provider's tokens of who it is.
   * @param url the callback's whole address
   * @throws ServiceError `not_permitted` when the provider does not confirm, `unavailable` when it does not answer or fails itself
   */
  async finish(url: URL, { state, nonce, verifier }: Transaction): Promise<ProviderTokens> {
    const provider = await this.#provider();
    try {
      const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true };
      const tokens = await authorizationCodeGrant(provider, url, checks);
      if (tokens.id_token === undefined) throw new Error('The provider sent no ID token.');
      return { idToken: tokens.id_token, accessToken: tokens.access_token };
    } catch (error) {
      if (isUnanswered(error)) throw this.#unavailable(error);
      throw new ServiceError('not_permitted', `${this.settings.name} did not confirm this sign-in; try again.`, { cause: error });
    }
  }

  /** Looked up at first use, and again after a failure. */
  async #provider(): Promise<Configuration> {
    this.#found ??= this.#discover();
    try {
      return await this.#found;
    } catch (error) {
      this.#found = null;
      throw this.#unavailable(error);
    }
  }

  #unavailable(cause: unknown): ServiceError {
    return new ServiceError('unavailable', `${this.settings.name} does not answer; try again soon.`, { retryAfterS: 5, cause });
  }

  #discover(): Promise<Configuration> {
    const { issuer, clientId, clientSecret } = this.settings;
    const url = new URL(issuer);
    // Plain http is let through on this machine alone; the configuration sees to that.
    const execute = url.protocol === 'http:' ? [allowInsecure] : [];
    return discovery(url, clientId, clientSecret, undefined, { execute, timeout: TIMEOUT_S });
  }
}

// oxlint-disable-next-line typescript/no-deprecated -- Marked so that nobody overlooks it; there is no other way to a local provider.
const allowInsecure = allowInsecureRequests;
