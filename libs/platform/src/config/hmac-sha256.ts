import { hash } from 'node:crypto';

const BLOCK_BYTES = 64;
const HASH_BYTES = 32;
/** Longest text that needs no buffer of its own, in UTF-16 units. */
const SHORT_TEXT = 512;

/**
 * HMAC-SHA-256 (RFC 2104) under one secret, for what each request computes. Two whole hashes cost 0.9 µs; `createHmac` costs 3, and
 * makes objects outside of V8's heap that a collection of garbage must free.
 */
export class HmacSha256 {
  /** The inner pad, and room for a text of UTF-8. */
  readonly #inner = Buffer.alloc(BLOCK_BYTES + 3 * SHORT_TEXT);
  /** The outer pad, and the inner hash. */
  readonly #outer = Buffer.alloc(BLOCK_BYTES + HASH_BYTES);

  /** @param secret of any length */
  constructor(secret: Buffer) {
    const key = Buffer.alloc(BLOCK_BYTES);
    (secret.length > BLOCK_BYTES ? hash('sha256', secret, 'buffer') : secret).copy(key);
    for (const [i, byte] of key.entries()) {
      this.#inner[i] = byte ^ 0x36;
      this.#outer[i] = byte ^ 0x5c;
    }
  }

  /** The MAC of a text as UTF-8: 32 bytes. */
  digest(text: string): Buffer {
    this.#outer.write(hash('sha256', this.#message(text), 'binary'), BLOCK_BYTES, 'latin1');
    return Buffer.from(hash('sha256', this.#outer, 'binary'), 'latin1');
  }

  #message(text: string): Buffer {
    if (text.length > SHORT_TEXT) return Buffer.concat([this.#inner.subarray(0, BLOCK_BYTES), Buffer.from(text)]);
    return this.#inner.subarray(0, BLOCK_BYTES + this.#inner.write(text, BLOCK_BYTES, 'utf8'));
  }
}
