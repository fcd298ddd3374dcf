import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const FORM = 'v1';
/** Length of a key's id in bytes. */
const ID_BYTES = 4;

/** 256-bit keys as 64 hex characters each, separated by commas. */
export const SECRET_KEYS = /^[0-9a-fA-F]{64}(,[0-9a-fA-F]{64})*$/;

/** A sealed text that no configured key opens. The message contains nothing of it. */
export class UnreadableSecretError extends Error {
  override readonly name = 'UnreadableSecretError';
}

/**
 * Seals secrets for storage: AES-256-GCM with a random nonce, bound to their owner. The first key seals, every key opens, so that
 * keys can be rotated.
 */
export class SecretVault {
  readonly #keys: ReadonlyMap<string, Buffer>;
  readonly #sealingId: string;

  /** @throws TypeError when `secretKeys` does not follow `SECRET_KEYS`. */
  constructor(secretKeys: string) {
    if (!SECRET_KEYS.test(secretKeys)) throw new TypeError('Secret keys are 64 hex characters each, separated by commas.');
    const keys = secretKeys.split(',').map((hex) => Buffer.from(hex, 'hex'));
    this.#keys = new Map(keys.map((key) => [keyIdOf(key), key]));
    this.#sealingId = [...this.#keys.keys()][0] ?? '';
  }

  /**
   * Returns `v1.<key id>.<nonce>.<ciphertext and tag>`, the last two in base64url.
   * @param owner owner of the secret, such as `account:12`; it opens only with the same one.
   */
  seal(secret: string, owner: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#keyOf(this.#sealingId), nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(owner));
    const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return [FORM, this.#sealingId, nonce.toString('base64url'), sealed.toString('base64url')].join('.');
  }

  /** Opens a sealed secret. @throws UnreadableSecretError when it was changed, or sealed with another key or for another owner. */
  open(sealedText: string, owner: string): string {
    const [form, keyId = '', nonce = '', sealed = ''] = sealedText.split('.');
    const bytes = Buffer.from(sealed, 'base64url');
    if (form !== FORM || bytes.length < TAG_BYTES) throw new UnreadableSecretError('The stored secret has an unknown form.');
    const key = this.#keyOf(keyId);
    try {
      const decipher = createDecipheriv(CIPHER, key, Buffer.from(nonce, 'base64url'), { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(owner));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      return decipher.update(bytes.subarray(0, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
    } catch (error) {
      throw new UnreadableSecretError('The stored secret was changed.', { cause: error });
    }
  }

  /**
   * Seals bytes with a key of their owner, which is derived from the first secret key: its id, the nonce, the ciphertext and the tag.
   * @param owner as in `seal`
   */
  sealBytes(bytes: Uint8Array, owner: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, derived(this.#keyOf(this.#sealingId), owner), nonce, { authTagLength: TAG_BYTES });
    return Buffer.concat([Buffer.from(this.#sealingId, 'hex'), nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
  }

  /** Opens what `sealBytes` sealed. @throws UnreadableSecretError as `open` does */
  openBytes(sealed: Uint8Array, owner: string): Buffer {
    if (sealed.length < ID_BYTES + NONCE_BYTES + TAG_BYTES) throw new UnreadableSecretError('The stored bytes have an unknown form.');
    const key = this.#keyOf(Buffer.from(sealed.subarray(0, ID_BYTES)).toString('hex'));
    try {
      const nonce = sealed.subarray(ID_BYTES, ID_BYTES + NONCE_BYTES);
      const decipher = createDecipheriv(CIPHER, derived(key, owner), nonce, { authTagLength: TAG_BYTES });
      decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
      return Buffer.concat([decipher.update(sealed.subarray(ID_BYTES + NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
    } catch (error) {
      throw new UnreadableSecretError('The stored bytes were changed.', { cause: error });
    }
  }

  #keyOf(id: string): Buffer {
    const key = this.#keys.get(id);
    if (!key) throw new UnreadableSecretError('The stored secret was sealed with a key that is not configured.');
    return key;
  }
}

/** The key of one owner's bytes: many values under one key would use up its random nonces. */
const derived = (key: Buffer, owner: string): Buffer => createHmac('sha256', key).update(`bytes of ${owner}`).digest();

/** Id of a key that reveals nothing about it. */
const keyIdOf = (key: Buffer): string => createHash('sha256').update(key).digest('hex').slice(0, 8);
