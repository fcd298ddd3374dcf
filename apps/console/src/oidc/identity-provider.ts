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
  ResponseBodyError,
} from 'openid-client';
import { z } from 'zod';

/** Settings of the identity provider. */
export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** Absent for a public client. */
  readonly clientSecret: string | undefined;
  readonly scopes: string;
  /** Label of its button. */
  readonly name: string;
}

const isFailure = (status: number): boolean => status >= 500;

/** `fetch` reports a lost connection as TypeError with a cause. The library's TypeErrors about arguments have a code. */
const isLost = (error: Error): boolean => error instanceof TypeError && error.cause instanceof Error && !('code' in error);

/** True if the provider sent no usable response: none arrived, or it failed with a status of 500 or above. */
function isUnavailable(error: unknown): boolean {
  if (error instanceof Response) return isFailure(error.status);
  if (!(error instanceof Error)) return false;
  if (error instanceof ResponseBodyError) return isFailure(error.status);
  return error.name === 'TimeoutError' || isLost(error) || isUnavailable(error.cause);
}

/** Timeout of calls to the provider, in seconds. */
const TIMEOUT_S = 5;

/** A pending sign-in: values that must come back unchanged, and the PKCE verifier. */
export const Transaction = z.object({
  state: z.string().min(1).max(200),
  nonce: z.string().min(1).max(200),
  verifier: z.string().min(43).max(128),
  /** Token of the invitation that this sign-in accepts. */
  invitation: z.string().max(100).optional(),
});
export type Transaction = z.infer<typeof Transaction>;

/** Tokens that the provider issued for a code. keys-service verifies them. */
export interface ProviderTokens {
  readonly idToken: string;
  readonly accessToken: string;
}

/** An OpenID Connect provider: authorization code flow, always with PKCE, state and nonce. */
export class IdentityProvider {
  #found: Promise<Configuration> | null = null;

  constructor(private readonly settings: OidcSettings) {}

  /** Address of the sign-in page, and the transaction to remember until the callback. @throws ServiceError `unavailable` */
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
   * Exchanges the code in the callback for the provider's tokens.
   * @param url full address of the callback
   * @throws ServiceError `not_permitted` when the provider refuses, `unavailable` when it sends no usable response
   */
  async finish(url: URL, { state, nonce, verifier }: Transaction): Promise<ProviderTokens> {
    const provider = await this.#provider();
    try {
      const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true };
      const tokens = await authorizationCodeGrant(provider, url, checks);
      if (tokens.id_token === undefined) throw new Error('The provider sent no ID token.');
      return { idToken: tokens.id_token, accessToken: tokens.access_token };
    } catch (error) {
      if (isUnavailable(error)) throw this.#unavailable(error);
      throw new ServiceError('not_permitted', `${this.settings.name} did not confirm this sign-in; try again.`, { cause: error });
    }
  }

  /** Discovers the provider at first use, and again after a failure. */
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
    return new ServiceError('unavailable', `${this.settings.name} is not reachable; try again soon.`, { retryAfterS: 5, cause });
  }

  #discover(): Promise<Configuration> {
    const { issuer, clientId, clientSecret } = this.settings;
    const url = new URL(issuer);
    // The configuration allows plain http on this machine only.
    const execute = url.protocol === 'http:' ? [allowInsecure] : [];
    return discovery(url, clientId, clientSecret, undefined, { execute, timeout: TIMEOUT_S });
  }
}

// oxlint-disable-next-line typescript/no-deprecated -- Deprecated as a warning only; a local provider over http needs it.
const allowInsecure = allowInsecureRequests;
