import type { Session } from './sessions.repository.js';

/** A session that nobody uses for so long is over, in milliseconds. */
const IDLE_MS = 12 * 3_600_000;
/** However much it is used, a session is over after so long, in milliseconds. */
export const ABSOLUTE_MS = 14 * 24 * 3_600_000;

type Dated = Pick<Session, 'rotatedAt' | 'expiresAt' | 'endedAt' | 'generation' | 'attemptHash'>;

/** When a session is over unless it is used before. */
export const idleEnd = ({ rotatedAt, expiresAt }: Pick<Session, 'rotatedAt' | 'expiresAt'>): Date =>
  new Date(Math.min(rotatedAt.getTime() + IDLE_MS, expiresAt.getTime()));

/** True while a session can be continued. */
export const goesOn = (session: Dated, now: number): boolean => session.endedAt === null && idleEnd(session).getTime() > now;

/** What is presented to go on with a session. */
export interface Presented {
  readonly generation: number;
  /** SHA-256 of the name that the page gave this attempt; null = none. */
  readonly attemptHash: Buffer | null;
}

/**
 * What a refresh token of the session is worth. `again`: the attempt that began the present generation asks once more, since
 * its answer was lost or another tab of the same browser shares it; nobody else knows its name. Any other use of an older
 * token is a theft, by whoever uses it now or by whoever used it first.
 */
export function worthOf(session: Dated, { generation, attemptHash }: Presented): 'good' | 'again' | 'reused' {
  if (generation === session.generation) return 'good';
  const isSameAttempt = attemptHash !== null && session.attemptHash?.equals(attemptHash) === true;
  return generation === session.generation - 1 && isSameAttempt ? 'again' : 'reused';
}
