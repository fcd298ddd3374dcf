import { type Incarnation, ListSessionKeys, ServiceError, SessionFeed, type SessionFeedRecord, type SessionId } from '@slipway/contracts';
import { FeedReader, type Freshness } from '@slipway/feed';
import { type Logger, type NatsConnection, nuid, RpcClient } from '@slipway/platform';
import { ProofReader, type SessionLiveness } from './proof-reader.js';
import { SessionKeyRing } from './session-key-ring.js';
import { VoidSessions } from './void-sessions.js';

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

/** What `FollowedProofs` needs. */
export interface FollowedProofsOptions {
  readonly nats: NatsConnection;
  readonly env: string;
  readonly log: Logger;
}

/** Verifies proofs outside keys-service, with the keys that it publishes and the session feed. */
export class FollowedProofs {
  readonly reader: ProofReader;
  readonly #feed: FeedReader<SessionFeedRecord>;

  constructor({ nats, env, log }: FollowedProofsOptions) {
    const voided = new VoidSessions();
    this.#feed = new FeedReader({ nats, env, log, reader: nuid.next() as Incarnation, contract: SessionFeed, sink: voided });
    const rpc = new RpcClient(nats, env);
    const keys = new SessionKeyRing(async () => (await rpc.call(ListSessionKeys, {})).keys, log);
    this.reader = new ProofReader({ env, keys, sessions: new FeedLiveness(voided, () => this.#feed.freshness()) });
  }

  /** True once the ended sessions are loaded. */
  get known(): boolean {
    return this.#feed.place !== null;
  }

  /** Begins to follow the session feed. */
  start(): void {
    this.#feed.start();
  }

  stop(): Promise<void> {
    return this.#feed.stop();
  }
}
