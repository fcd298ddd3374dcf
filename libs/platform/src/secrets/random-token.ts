import { randomFillSync } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 62²² is 131 bits. */
const LENGTH = 22;
/** The largest multiple of 62 that a byte reaches: higher bytes would favour some letters, and are passed over. */
const FAIR_BYTES = 248;

const pool = Buffer.alloc(4_096);
let at = pool.length;

/** An unpredictable name of 22 letters and digits, 131 bits of node:crypto: safe in subjects, addresses and clients' ids. */
export function randomToken(): string {
  let token = '';
  while (token.length < LENGTH) {
    if (at === pool.length) {
      randomFillSync(pool);
      at = 0;
    }
    const byte = pool[at] ?? FAIR_BYTES;
    // What was given out must not lie in memory any longer.
    pool[at] = 0;
    at += 1;
    if (byte < FAIR_BYTES) token += ALPHABET[byte % ALPHABET.length] ?? '';
  }
  return token;
}
