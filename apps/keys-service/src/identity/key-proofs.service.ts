import { Injectable } from '@nestjs/common';
import {
  type AccountId,
  KEY_PROOF_LIFE_S,
  KEY_PROOF_TYPE,
  type KeyId,
  type KeyProofClaims,
  keyProofAudience,
  type McpScope,
} from '@slipway/contracts';
import { Transactions } from '@slipway/database';
import { SigningKeys } from './signing-keys.service.js';

/** A proof is reused while this much of its life is left, in milliseconds. */
const REUSED_MS = (KEY_PROOF_LIFE_S * 1_000) / 2;
/** Proofs that are kept for reuse; the oldest are dropped first. */
const KEPT_MAX = 1_000;

/** An MCP key, as a proof states it. */
export interface ProvenKey {
  readonly key: KeyId;
  readonly account: AccountId;
  readonly scope: McpScope;
}

/** Signs proofs that a request came with an account's MCP key, for the other services. */
@Injectable()
export class KeyProofs {
  readonly #kept = new Map<string, { readonly token: string; readonly expires: number }>();

  constructor(
    private readonly transactions: Transactions,
    private readonly signingKeys: SigningKeys,
  ) {}

  /** The caller has verified the key for this request. */
  async sign({ key, account, scope }: ProvenKey): Promise<string> {
    const name = `${key} ${scope}`;
    const kept = this.#kept.get(name);
    if (kept && kept.expires * 1_000 - Date.now() > REUSED_MS) return kept.token;
    const claims: KeyProofClaims = { sub: String(key), acct: account, scope };
    const options = { type: KEY_PROOF_TYPE, audience: keyProofAudience, lifeS: KEY_PROOF_LIFE_S };
    const signed = await this.transactions.run((tx) => this.signingKeys.sign(tx, claims, options));
    this.#kept.delete(name);
    this.#kept.set(name, signed);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT_MAX && oldest !== undefined) this.#kept.delete(oldest);
    return signed.token;
  }
}
