import { BeginSignInExternal, LinkToken, type Origin, ServiceError, SignInExternal, type SessionTokens } from '@slipway/contracts';
import type { RpcClient } from '@slipway/platform';
import type { OwnOrigin } from '../http/own-origin.js';
import { type IdentityProvider, Transaction } from './identity-provider.js';

/** Path of the redirect URI, which is registered at the provider with the console's address. */
const CALLBACK_PATH = '/api/oidc/callback';

/** Begins and finishes sign-ins at the identity provider. */
export class OidcSignIn {
  /** @param provider null if none is configured */
  constructor(
    private readonly provider: IdentityProvider | null,
    private readonly rpc: Pick<RpcClient, 'call'>,
    private readonly own: OwnOrigin,
  ) {}

  /** Address of the sign-in page, and the value of the cookie. @throws ServiceError `not_found` without a provider */
  async begin(invitation: string | undefined): Promise<{ url: string; remembered: string }> {
    const provider = this.#required();
    const { nonce } = await this.rpc.call(BeginSignInExternal, {});
    const { url, transaction } = await provider.begin(this.own.url + CALLBACK_PATH, { nonce, invitation });
    return { url, remembered: Buffer.from(JSON.stringify(transaction)).toString('base64url') };
  }

  /**
   * Finishes a sign-in with the callback's query and the remembered transaction.
   * @param path path and query of the callback
   * @throws ServiceError `not_permitted` for a callback without a sign-in that began here, and the errors of `SignInExternal`
   */
  async finish(path: string, remembered: string | null, origin: Origin): Promise<SessionTokens> {
    const provider = this.#required();
    const transaction = readTransaction(remembered);
    if (transaction === null) throw new ServiceError('not_permitted', 'This sign-in began in another browser or took too long; try again.');
    const { idToken, accessToken } = await provider.finish(this.#callbackUrl(path), transaction);
    const invitation = LinkToken.safeParse(transaction.invitation).data;
    const proof = { id_token: idToken, access_token: accessToken };
    return this.rpc.call(SignInExternal, { ...proof, ...(invitation !== undefined && { invitation }), origin });
  }

  /** Takes only the query from the browser. */
  #callbackUrl(path: string): URL {
    const query = path.includes('?') ? path.slice(path.indexOf('?')) : '';
    return new URL(CALLBACK_PATH + query, this.own.url);
  }

  #required(): IdentityProvider {
    if (this.provider === null) throw new ServiceError('not_found', 'No identity provider is configured.');
    return this.provider;
  }
}

function readTransaction(remembered: string | null): Transaction | null {
  try {
    return Transaction.parse(JSON.parse(Buffer.from(remembered ?? '', 'base64url').toString('utf8')));
  } catch {
    return null;
  }
}
