import { randomFillSync } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 62²² is 131 bits. */
const LENGTH = 22;
/** Largest multiple of 62 in a byte; higher bytes are skipped, because they would favour some characters. */
const FAIR_BYTES = 248;

const pool = Buffer.alloc(4_096);
let at = pool.length;

/** A random token of 22 letters and digits, 131 bits from node:crypto: safe in subjects, URLs and ids. */
export function randomToken(): string {
  let token = '';
  while (token.length < LENGTH) {
    if (at === pool.length) {
      randomFillSync(pool);
      at = 0;
    }
    const byte = pool[at] ?? FAIR_BYTES;
    // Used bytes must not stay in memory.
    pool[at] = 0;
    at += 1;
    if (byte < FAIR_BYTES) token += ALPHABET[byte % ALPHABET.length] ?? '';
  }
  return token;
}
