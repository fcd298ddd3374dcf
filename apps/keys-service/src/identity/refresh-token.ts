import { randomBytes } from 'node:crypto';
import { SessionId } from '@slipway/contracts';
import { hashOf } from './link-token.js';

const FORM = /^([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/;

/** A refresh token as it is presented: which session it belongs to, and what of it is stored. */
export interface PresentedToken {
  readonly session: SessionId;
  readonly hash: Buffer;
}

/** A new session's name: 128 random bits, no secret. */
export const newSessionId = (): SessionId => SessionId.parse(randomBytes(16).toString('base64url'));

/** `<session>.<256 random bits>`, in clear for the one reply that holds it. */
export function newRefreshToken(session: SessionId): { token: string; hash: Buffer } {
  const token = `${session}.${randomBytes(32).toString('base64url')}`;
  return { token, hash: hashOf(token) };
}

/** Null for a text that never was a refresh token. */
export function readRefreshToken(text: string): PresentedToken | null {
  const match = FORM.exec(text);
  return match ? { session: SessionId.parse(match[1]), hash: hashOf(text) } : null;
}
