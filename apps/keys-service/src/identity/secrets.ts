import { createHash, randomBytes } from 'node:crypto';
import { SessionId } from '@slipway/contracts';

const REFRESH_TOKEN = /^([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/;

/** SHA-256 of a secret with 256 random bits, for which a slow hash would add nothing. */
export const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** A secret of 256 random bits in base64url. */
export const newSecret = (): string => randomBytes(32).toString('base64url');

/** The secret of an invitation link, and the hash that is stored. */
export function newLinkToken(): { token: string; tokenHash: Buffer } {
  const token = newSecret();
  return { token, tokenHash: hashOf(token) };
}

/** The id of a new session: 128 random bits, not a secret. */
export const newSessionId = (): SessionId => SessionId.parse(randomBytes(16).toString('base64url'));

/** A refresh token `<session>.<secret>`, and the hash that is stored. */
export function newRefreshToken(session: SessionId): { token: string; hash: Buffer } {
  const token = `${session}.${newSecret()}`;
  return { token, hash: hashOf(token) };
}

/** A presented refresh token: its session, and the hash to look for. */
export interface PresentedToken {
  readonly session: SessionId;
  readonly hash: Buffer;
}

/** Null for a text that does not have the form of a refresh token. */
export function readRefreshToken(text: string): PresentedToken | null {
  const match = REFRESH_TOKEN.exec(text);
  return match ? { session: SessionId.parse(match[1]), hash: hashOf(text) } : null;
}
