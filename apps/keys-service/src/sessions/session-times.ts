import type { Session } from './sessions.repository.js';

/** A session that nobody uses for so long is over, in milliseconds. */
const IDLE_MS = 12 * 3_600_000;
/** However much it is used, a session is over after so long, in milliseconds. */
export const ABSOLUTE_MS = 14 * 24 * 3_600_000;
/** For so long after its use a refresh token opens its generation's successor again: tabs race, and answers get lost. */
const GRACE_MS = 10_000;

type Dated = Pick<Session, 'rotatedAt' | 'expiresAt' | 'endedAt' | 'generation'>;

/** When a session is over unless it is used before. */
export const idleEnd = ({ rotatedAt, expiresAt }: Pick<Session, 'rotatedAt' | 'expiresAt'>): Date =>
  new Date(Math.min(rotatedAt.getTime() + IDLE_MS, expiresAt.getTime()));

/** True while a session can be continued. */
export const goesOn = (session: Dated, now: number): boolean => session.endedAt === null && idleEnd(session).getTime() > now;

/** What a refresh token of the session is worth. */
export function worthOf({ generation, rotatedAt }: Dated, presented: number, now: number): 'good' | 'late' | 'reused' {
  if (presented === generation) return 'good';
  return presented === generation - 1 && now - rotatedAt.getTime() < GRACE_MS ? 'late' : 'reused';
}
