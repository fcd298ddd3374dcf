import { ServiceError, type SessionId } from '@slipway/contracts';
import type { Freshness } from '@slipway/feed';
import type { SessionLiveness } from './proof-reader.js';
import type { VoidSessions } from './void-sessions.js';

/** Time for which tokens stay accepted while no keys-service publishes ended sessions, in milliseconds. */
const ABSENT_GRACE_MS = 300_000;

/** Liveness of sessions from the session feed, without a request per token. */
export class FeedLiveness implements SessionLiveness {
  /** @param freshness freshness of `voided` */
  constructor(
    private readonly voided: VoidSessions,
    private readonly freshness: () => Freshness,
  ) {}

  /** @throws ServiceError `session_ended`; `auth_unavailable` while ended sessions are unknown */
  require(session: SessionId, ver: number): void {
    const { state, ageMs } = this.freshness();
    if (state !== 'fresh' && !(state === 'absent' && ageMs <= ABSENT_GRACE_MS)) {
      throw new ServiceError('auth_unavailable', 'Sign-ins cannot be checked right now; try again soon.', { retryAfterS: 2 });
    }
    if (this.voided.isVoid(session, ver)) throw new ServiceError('session_ended', 'This session is over; sign in again.');
  }
}
