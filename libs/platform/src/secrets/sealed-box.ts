import {
  createCipheriv,
  createDecipheriv,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const FORM = 'x1';
const PURPOSE = 'slipway sealed box v1';
/** Most cached sender keys; each elected service has one. */
const KNOWN_SENDERS = 16;

/** A text that was changed, or sealed for another key or purpose. The message contains nothing of it. */
export class UnreadableBoxError extends Error {
  override readonly name = 'UnreadableBoxError';
}

const rawOf = (key: KeyObject): Buffer => Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url');

function publicKeyOf(text: string): KeyObject {
  return createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'X25519', x: text } });
}

/** The shared key: X25519, then HKDF-SHA-256 (RFC 5869) over both public keys. */
function sharedKey(own: KeyObject, other: KeyObject, [sender, receiver]: readonly [Buffer, Buffer]): Buffer {
  const secret = diffieHellman({ privateKey: own, publicKey: other });
  return Buffer.from(hkdfSync('sha256', secret, Buffer.concat([sender, receiver]), PURPOSE, KEY_BYTES));
}

/** Seals texts for the process with the private key. A sealer costs a key pair and a key agreement; each text costs only AES. */
export class BoxSealer {
  readonly #sender: string;
  readonly #key: Buffer;

  /**
   * @param receiver the public key, X25519 in base64url.
   * @throws TypeError when it is not one.
   */
  constructor(receiver: string) {
    const own = generateKeyPairSync('x25519');
    try {
      const other = publicKeyOf(receiver);
      const sender = rawOf(own.publicKey);
      this.#sender = sender.toString('base64url');
      this.#key = sharedKey(own.privateKey, other, [sender, rawOf(other)]);
    } catch (error) {
      throw new TypeError('This is not a public key of X25519.', { cause: error });
    }
  }

  /**
   * Returns `x1.<sender's public key>.<nonce>.<ciphertext and tag>`, each in base64url.
   * @param boundTo purpose of the secret; it opens only with the same one.
   */
  seal(secret: string, boundTo: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(boundTo));
    const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return [FORM, this.#sender, nonce.toString('base64url'), sealed.toString('base64url')].join('.');
  }
}

/** A key pair of one process start, for which others seal secrets. */
export class BoxKey {
  readonly #private: KeyObject;
  readonly #raw: Buffer;
  /** Derived keys by the sender's public key. */
  readonly #shared = new Map<string, Buffer>();

  constructor() {
    const { privateKey, publicKey } = generateKeyPairSync('x25519');
    this.#private = privateKey;
    this.#raw = rawOf(publicKey);
  }

  /** Public key: 32 bytes in base64url. */
  get publicKey(): string {
    return this.#raw.toString('base64url');
  }

  /** Opens a sealed text. @throws UnreadableBoxError when it was changed, or sealed for another key or purpose. */
  open(sealedText: string, boundTo: string): string {
    const [form, sender = '', nonce = '', sealed = ''] = sealedText.split('.');
    const bytes = Buffer.from(sealed, 'base64url');
    if (form !== FORM || bytes.length < TAG_BYTES) throw new UnreadableBoxError('The sealed text has an unknown form.');
    try {
      const decipher = createDecipheriv(CIPHER, this.#keyWith(sender), Buffer.from(nonce, 'base64url'), { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(boundTo));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      return decipher.update(bytes.subarray(0, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
    } catch (error) {
      throw new UnreadableBoxError('The sealed text was changed, or is for another process.', { cause: error });
    }
  }

  #keyWith(sender: string): Buffer {
    const known = this.#shared.get(sender);
    if (known) return known;
    const other = publicKeyOf(sender);
    const key = sharedKey(this.#private, other, [rawOf(other), this.#raw]);
    const [oldest] = this.#shared.keys();
    if (oldest !== undefined && this.#shared.size >= KNOWN_SENDERS) this.#shared.delete(oldest);
    this.#shared.set(sender, key);
    return key;
  }
}
