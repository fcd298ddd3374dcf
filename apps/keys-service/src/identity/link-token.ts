import { createHash, randomBytes } from 'node:crypto';

/** The secret of a link, in clear for the one reply that shows it, and what may be stored of it. */
export interface NewLinkToken {
  readonly token: string;
  readonly tokenHash: Buffer;
}

/** SHA-256 of a secret with 256 random bits; a slow hash would add nothing. */
export const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();

export function newLinkToken(): NewLinkToken {
  const token = randomBytes(32).toString('base64url');
  return { token, tokenHash: hashOf(token) };
}
