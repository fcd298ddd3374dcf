import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { type Actor, SESSION_TOKEN_ALGORITHM, SESSION_TOKEN_LIFE_S, sessionIssuer } from '@slipway/contracts';
import { AuditLog, Transactions, type Tx } from '@slipway/database';
import { CONFIG, SecretVault, type ServiceConfig, UnreadableSecretError } from '@slipway/platform';
import type { PublishedKey } from '@slipway/proof';
import { type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose';
import { SigningKeysRepository, type StoredSigningKey } from './signing-keys.repository.js';

const ROTATE_AFTER_MS = 30 * 24 * 3_600_000;
/** How long a retired key is published: the life of its last token, and a minute for clocks that differ. */
export const PUBLISHED_AFTER_RETIRING_S = SESSION_TOKEN_LIFE_S + 60;

/** A private key, and its id for the header of tokens. */
interface Signer {
  readonly kid: string;
  readonly key: CryptoKey;
}

/** What a token states besides its claims. */
export interface TokenOptions {
  /** `typ` of the header. */
  readonly type: string;
  /** `aud` in an environment. */
  readonly audience: (env: string) => string;
  readonly lifeS: number;
}

/** A signed JWT, with its expiry in seconds since 1970. */
export interface SignedToken {
  readonly token: string;
  readonly expires: number;
}

/** Why a key is created. `unreadable`: the current one is sealed under a secret key that the service no longer has. */
interface Creation {
  readonly revokeOld: boolean;
  readonly cause: 'asked' | 'first' | 'age' | 'unreadable';
  readonly actor?: Actor;
}

const ownerOf = (kid: string): string => `signing-key:${kid}`;

/**
 * The keys that sign session tokens and proofs. One key signs, and is replaced after 30 days. Private keys are stored sealed, and
 * deleted when they are replaced.
 */
@Injectable()
export class SigningKeys {
  #opened: Signer | null = null;

  constructor(
    private readonly transactions: Transactions,
    private readonly keys: SigningKeysRepository,
    private readonly vault: SecretVault,
    private readonly audit: AuditLog,
    @Inject(CONFIG) private readonly config: ServiceConfig,
  ) {}

  /** Signs a JWT of this environment. */
  async sign(tx: Tx, claims: object, { type, audience, lifeS }: TokenOptions): Promise<SignedToken> {
    const { kid, key } = await this.#signer(tx);
    const { SLIPWAY_ENV: env } = this.config;
    const issuedAt = Math.floor(Date.now() / 1_000);
    const expires = issuedAt + lifeS;
    const token = await new SignJWT({ ...claims })
      .setProtectedHeader({ alg: SESSION_TOKEN_ALGORITHM, typ: type, kid })
      .setIssuer(sessionIssuer(env))
      .setAudience(audience(env))
      .setIssuedAt(issuedAt)
      .setExpirationTime(expires)
      .sign(key);
    return { token, expires };
  }

  /** Public keys that verify tokens. */
  async published(): Promise<PublishedKey[]> {
    const stored = await this.transactions.read((connection) => this.keys.published(connection, PUBLISHED_AFTER_RETIRING_S));
    return stored.map(publishedKey);
  }

  /** Creates a new key. @param revokeOld tokens of the old keys become invalid, as soon as their readers fetch the keys again */
  rotate(actor: Actor, revokeOld: boolean): Promise<string> {
    return this.transactions.run(async (tx) => {
      await this.keys.lockCreation(tx);
      const { kid } = await this.#create(tx, { revokeOld, cause: 'asked', actor });
      return kid;
    });
  }

  /** The current key; a new one when there is none, it is too old, or it cannot be unsealed. */
  async #signer(tx: Tx): Promise<Signer> {
    const usable = await this.#usable(await this.keys.current(tx));
    if (usable) return usable;
    await this.keys.lockCreation(tx);
    const current = await this.keys.current(tx);
    return (await this.#usable(current)) ?? this.#create(tx, { revokeOld: false, cause: causeOf(current) });
  }

  async #usable(stored: StoredSigningKey | null): Promise<Signer | null> {
    if (stored?.sealed == null || isOld(stored)) return null;
    if (this.#opened?.kid === stored.kid) return this.#opened;
    try {
      this.#opened = await signerOf(stored.kid, JSON.parse(this.vault.open(stored.sealed, ownerOf(stored.kid))) as JWK);
      return this.#opened;
    } catch (error) {
      if (error instanceof UnreadableSecretError) return null;
      throw error;
    }
  }

  async #create(tx: Tx, { revokeOld, cause, actor }: Creation): Promise<Signer> {
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

const isOld = ({ createdAt }: StoredSigningKey): boolean => createdAt.getTime() < Date.now() - ROTATE_AFTER_MS;

function causeOf(current: StoredSigningKey | null): Creation['cause'] {
  if (current === null) return 'first';
  return isOld(current) ? 'age' : 'unreadable';
}

/** The public key as a JWK. */
export const publishedKey = ({ kid, x }: Pick<StoredSigningKey, 'kid' | 'x'>): PublishedKey => ({
  kid,
  kty: 'OKP',
  crv: 'Ed25519',
  x,
  alg: 'EdDSA',
});

/** Not extractable, so that it can be used to sign only. */
async function signerOf(kid: string, jwk: JWK): Promise<Signer> {
  return { kid, key: (await importJWK(jwk, SESSION_TOKEN_ALGORITHM, { extractable: false })) as CryptoKey };
}
