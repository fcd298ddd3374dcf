import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type Actor, SESSION_TOKEN_ALGORITHM, SESSION_TOKEN_LIFE_S } from '@slipway/contracts';
import { AuditLog, Transactions, type Tx } from '@slipway/database';
import { SecretVault, UnreadableSecretError } from '@slipway/platform';
import type { PublishedKey } from '@slipway/proof';
import { type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import { SigningKeysRepository, type StoredSigningKey } from './signing-keys.repository.js';

const ROTATE_AFTER_MS = 30 * 24 * 3_600_000;
/** Tokens outlive their key's turn by their own life; clocks may be off by a minute. */
export const PUBLISHED_AFTER_RETIRING_S = SESSION_TOKEN_LIFE_S + 60;

/** A key that signs, and its name in the header of tokens. */
export interface Signer {
  readonly kid: string;
  readonly key: CryptoKey;
}

const ownerOf = (kid: string): string => `signing-key:${kid}`;

/**
 * The keys that sign session tokens: one signs, and is replaced after 30 days. Private parts are stored sealed, and
 * nowhere once they are replaced.
 */
@Injectable()
export class SigningKeys {
  #opened: Signer | null = null;

  constructor(
    private readonly transactions: Transactions,
    private readonly keys: SigningKeysRepository,
    private readonly vault: SecretVault,
    private readonly audit: AuditLog,
  ) {}

  /** The key that signs at this moment, made now if there is none, it is too old, or its seal cannot be opened. */
  async signer(tx: Tx): Promise<Signer> {
    const usable = await this.#usable(await this.keys.current(tx));
    if (usable) return usable;
    await this.keys.holdMaking(tx);
    const before = await this.keys.current(tx);
    return (await this.#usable(before)) ?? this.#make(tx, { revokeOld: false, cause: causeOf(before) });
  }

  /** Keys that verify tokens. */
  published(): Promise<StoredSigningKey[]> {
    return this.transactions.read((connection) => this.keys.published(connection, PUBLISHED_AFTER_RETIRING_S));
  }

  /** @param revokeOld tokens of the old keys are void, as soon as consoles ask for the keys again. */
  rotate(actor: Actor, revokeOld: boolean): Promise<string> {
    return this.transactions.run(async (tx) => {
      await this.keys.holdMaking(tx);
      const { kid } = await this.#make(tx, { revokeOld, cause: 'asked', actor });
      return kid;
    });
  }

  async #usable(stored: StoredSigningKey | null): Promise<Signer | null> {
    if (stored?.sealed == null || isOld(stored)) return null;
    if (this.#opened?.kid === stored.kid) return this.#opened;
    try {
      this.#opened = await signerOf(stored.kid, JSON.parse(this.vault.open(stored.sealed, ownerOf(stored.kid))) as JWK);
      return this.#opened;
    } catch (error) {
      // Sealed under a secret key that is gone: nobody can sign with it any more.
      if (error instanceof UnreadableSecretError) return null;
      throw error;
    }
  }

  async #make(tx: Tx, { revokeOld, cause, actor }: Making): Promise<Signer> {
    const kid = randomBytes(9).toString('base64url');
    const { privateKey } = await generateKeyPair(SESSION_TOKEN_ALGORITHM, { extractable: true });
    const jwk = await exportJWK(privateKey);
    if (jwk.x === undefined) throw new Error('The new signing key has no public part.');
    const sealed = this.vault.seal(JSON.stringify(jwk), ownerOf(kid));
    await this.keys.replace(tx, { kid, x: jwk.x, sealed }, revokeOld);
    const facts = { revoke_old: String(revokeOld), cause };
    await this.audit.record(tx, { account: null, actor, action: 'signing_key.rotate', object: ownerOf(kid), facts });
    return signerOf(kid, jwk);
  }
}

/** Why a key is made. `unreadable`: nobody can open the seal of the one before. */
interface Making {
  readonly revokeOld: boolean;
  readonly cause: 'asked' | 'first' | 'age' | 'unreadable';
  readonly actor?: Actor;
}

const isOld = ({ createdAt }: StoredSigningKey): boolean => createdAt.getTime() < Date.now() - ROTATE_AFTER_MS;

function causeOf(before: StoredSigningKey | null): Making['cause'] {
  if (before === null) return 'first';
  return isOld(before) ? 'age' : 'unreadable';
}

/** A key as it is published. */
export const publishedKey = ({ kid, x }: Pick<StoredSigningKey, 'kid' | 'x'>): PublishedKey => ({
  kid,
  kty: 'OKP',
  crv: 'Ed25519',
  x,
  alg: 'EdDSA',
});

/** Not extractable: only signatures leave it. */
async function signerOf(kid: string, jwk: JWK): Promise<Signer> {
  return { kid, key: (await importJWK(jwk, SESSION_TOKEN_ALGORITHM, { extractable: false })) as CryptoKey };
}
