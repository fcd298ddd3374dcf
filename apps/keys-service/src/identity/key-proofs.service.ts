import { Injectable } from '@nestjs/common';
import {
  type AccountId,
  KEY_PROOF_LIFE_S,
  KEY_PROOF_TYPE,
  type KeyId,
  type KeyProofClaims,
  keyProofAudience,
  type McpScope,
  SESSION_TOKEN_ALGORITHM,
} from '@slipway/contracts';
import { Transactions } from '@slipway/database';
import { SignJWT } from 'jose';
import { SigningKeys } from './signing-keys.service.js';
import { TokenScope } from './token-scope.js';

/** A proof is given again while so much of its life is left, in milliseconds. */
const LEAST_LEFT_MS = (KEY_PROOF_LIFE_S * 1_000) / 2;
/** Proofs that are remembered; the one that was signed first goes first. */
const REMEMBERED_MAX = 1_000;

/** The MCP key that a proof is signed for. */
export interface KeyProofOf {
  readonly key: KeyId;
  readonly account: AccountId;
  readonly scope: McpScope;
}

/** Signs what proves to the services that a request brought an account's MCP key. */
@Injectable()
export class KeyProofs {
  readonly #given = new Map<string, { readonly token: string; readonly until: number }>();

  constructor(
    private readonly transactions: Transactions,
    private readonly signingKeys: SigningKeys,
    private readonly scope: TokenScope,
  ) {}

  /** Whoever calls has made sure of the key at this moment. */
  async sign({ key, account, scope }: KeyProofOf): Promise<string> {
    const name = `${key} ${scope}`;
    const given = this.#given.get(name);
    if (given && given.until - Date.now() > LEAST_LEFT_MS) return given.token;
    const { kid, key: signingKey } = await this.transactions.run((tx) => this.signingKeys.signer(tx));
    const issuedAt = Math.floor(Date.now() / 1_000);
    const claims: KeyProofClaims = { sub: String(key), acct: account, scope };
    const token = await new SignJWT({ ...claims })
      .setProtectedHeader({ alg: SESSION_TOKEN_ALGORITHM, typ: KEY_PROOF_TYPE, kid })
      .setIssuer(this.scope.issuer)
      .setAudience(keyProofAudience(this.scope.env))
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + KEY_PROOF_LIFE_S)
      .sign(signingKey);
    this.#remember(name, token, (issuedAt + KEY_PROOF_LIFE_S) * 1_000);
    return token;
  }

  #remember(name: string, token: string, until: number): void {
    this.#given.delete(name);
    this.#given.set(name, { token, until });
    const [oldest] = this.#given.keys();
    if (this.#given.size > REMEMBERED_MAX && oldest !== undefined) this.#given.delete(oldest);
  }
}
