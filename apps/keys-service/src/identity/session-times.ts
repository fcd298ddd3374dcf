import { ServiceError } from '@slipway/contracts';
import type { Session } from './sessions.repository.js';

/** How long a session lives without a refresh, in milliseconds. */
const IDLE_MS = 12 * 3_600_000;
/** How long a session lives however much it is used, in milliseconds. */
export const ABSOLUTE_MS = 14 * 24 * 3_600_000;

type SessionTimes = Pick<Session, 'rotatedAt' | 'expiresAt' | 'endedAt' | 'generation' | 'attemptHash'>;

/** When a session expires unless it is refreshed before. */
export const idleEnd = ({ rotatedAt, expiresAt }: Pick<Session, 'rotatedAt' | 'expiresAt'>): Date =>
  new Date(Math.min(rotatedAt.getTime() + IDLE_MS, expiresAt.getTime()));

/** Whether a session can be refreshed at `now`, in milliseconds since 1970. */
export const isLive = (session: SessionTimes, now: number): boolean => session.endedAt === null && idleEnd(session).getTime() > now;

/** A refresh token as it is presented. */
export interface TokenUse {
  readonly generation: number;
  /** SHA-256 of the name that the page gave this attempt; null = no name. */
  readonly attemptHash: Buffer | null;
}

/**
 * Judges the use of a refresh token. `current`: of the current generation. `retry`: the attempt that began the current generation
 * asks again, since its answer was lost or another tab of the same browser shares it. `reused`: any other use of an older token,
 * which shows a theft, by this caller or by an earlier one.
 */
export function judgeTokenUse(session: SessionTimes, { generation, attemptHash }: TokenUse): 'current' | 'retry' | 'reused' {
  if (generation === session.generation) return 'current';
  const isSameAttempt = attemptHash !== null && session.attemptHash?.equals(attemptHash) === true;
  return generation === session.generation - 1 && isSameAttempt ? 'retry' : 'reused';
}

/** The error for every token, key and session that is over. */
export const sessionEnded = (): ServiceError => new ServiceError('session_ended', 'This session is over; sign in again.');
