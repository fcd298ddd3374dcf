import { BeginSignInExternal, LinkToken, type Origin, ServiceError, SignInExternal, type SessionTokens } from '@slipway/contracts';
import type { RpcClient } from '@slipway/platform';
import type { OwnOrigin } from '../http/own-origin.js';
import { type IdentityProvider, Transaction } from './identity-provider.js';

/** Where the provider sends browsers back to; registered there with the console's address in front. */
const CALLBACK_PATH = '/api/oidc/callback';

/** Two halves of one sign-in, with the browser's way to the provider and back between them. */
export class OidcSignIn {
  /** @param provider null where people sign in by password alone */
  constructor(
    private readonly provider: IdentityProvider | null,
    private readonly rpc: Pick<RpcClient, 'call'>,
    private readonly own: OwnOrigin,
  ) {}

  /** Where the browser goes, and what its cookie remembers. @throws ServiceError `not_found` without a provider */
  async begin(invitation: string | undefined): Promise<{ url: string; remembered: string }> {
    const provider = this.#required();
    const { nonce } = await this.rpc.call(BeginSignInExternal, {});
    const { url, transaction } = await provider.begin(this.own.url + CALLBACK_PATH, { nonce, invitation });
    return { url, remembered: Buffer.from(JSON.stringify(transaction)).toString('base64url') };
  }

  /**
   * @param path the callback's path and query, as it was asked for
   * @throws ServiceError `not_permitted` for a way back that nobody began here, and whatever the sign-in itself refuses
   */
  async finish(path: string, remembered: string | null, origin: Origin): Promise<SessionTokens> {
    const provider = this.#required();
    const transaction = readTransaction(remembered);
    if (transaction === null) throw new ServiceError('not_permitted', 'This sign-in was begun elsewhere, or took too long; try again.');
    const { idToken, accessToken } = await provider.finish(this.#callbackUrl(path), transaction);
    const invitation = LinkToken.safeParse(transaction.invitation).data;
    const proof = { id_token: idToken, access_token: accessToken };
    return this.rpc.call(SignInExternal, { ...proof, ...(invitation !== undefined && { invitation }), origin });
  }

  /** Only the query is the browser's; where it came back to is ours to say. */
  #callbackUrl(path: string): URL {
    const query = path.includes('?') ? path.slice(path.indexOf('?')) : '';
    return new URL(CALLBACK_PATH + query, this.own.url);
  }

  #required(): IdentityProvider {
    if (this.provider === null) throw new ServiceError('not_found', 'Nobody signs in by an identity provider here.');
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
