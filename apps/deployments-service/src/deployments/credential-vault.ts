import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const FORM = 'v1';

/** 256-bit keys as 64 hex characters each, separated by commas. */
export const SECRET_KEYS = /^[0-9a-fA-F]{64}(,[0-9a-fA-F]{64})*$/;

/** A stored credential that none of the present keys opens. The message holds nothing of it. */
export class UnreadableCredentialError extends Error {
  override readonly name = 'UnreadableCredentialError';
}

/**
 * Seals engine credentials for storage: AES-256-GCM with a random nonce, bound to the account that
 * owns them. The first key seals, every key opens, so that keys can be changed.
 */
export class CredentialVault {
  readonly #keys: ReadonlyMap<string, Buffer>;
  readonly #sealingId: string;

  /** @throws TypeError when `secretKeys` does not follow `SECRET_KEYS`. */
  constructor(secretKeys: string) {
    if (!SECRET_KEYS.test(secretKeys)) throw new TypeError('Secret keys are 64 hex characters each, separated by commas.');
    const keys = secretKeys.split(',').map((hex) => Buffer.from(hex, 'hex'));
    this.#keys = new Map(keys.map((key) => [keyIdOf(key), key]));
    this.#sealingId = [...this.#keys.keys()][0] ?? '';
  }

  /** Returns `v1.<key id>.<nonce>.<ciphertext and tag>`, the last two in base64url. */
  seal(credential: string, account: number): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#keyOf(this.#sealingId), nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(boundTo(account));
    const sealed = Buffer.concat([cipher.update(credential, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return [FORM, this.#sealingId, nonce.toString('base64url'), sealed.toString('base64url')].join('.');
  }

  /** @throws UnreadableCredentialError when the text was changed, or sealed with another key or for another account. */
  open(sealedText: string, account: number): string {
    const [form, keyId = '', nonce = '', sealed = ''] = sealedText.split('.');
    const bytes = Buffer.from(sealed, 'base64url');
    if (form !== FORM || bytes.length < TAG_BYTES) throw new UnreadableCredentialError('The stored credential has an unknown form.');
    const key = this.#keyOf(keyId);
    try {
      const decipher = createDecipheriv(CIPHER, key, Buffer.from(nonce, 'base64url'), { authTagLength: TAG_BYTES });
      decipher.setAAD(boundTo(account));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      return decipher.update(bytes.subarray(0, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
    } catch (error) {
      throw new UnreadableCredentialError('The stored credential was changed.', { cause: error });
    }
  }

  #keyOf(id: string): Buffer {
    const key = this.#keys.get(id);
    if (!key) throw new UnreadableCredentialError('The stored credential was sealed with a key that is not configured.');
    return key;
  }
}

/** Names a key without telling anything of it. */
const keyIdOf = (key: Buffer): string => createHash('sha256').update(key).digest('hex').slice(0, 8);

const boundTo = (account: number): Buffer => Buffer.from(`account:${account}`);
