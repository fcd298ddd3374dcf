import { type Incarnation, ListSessionKeys, SessionFeed, type SessionFeedRecord } from '@slipway/contracts';
import { FeedReader } from '@slipway/feed';
import { type Logger, type NatsConnection, nuid, RpcClient } from '@slipway/platform';
import { FeedLiveness } from './feed-liveness.js';
import { ProofReader } from './proof-reader.js';
import { SessionKeyRing } from './session-key-ring.js';
import { VoidSessions } from './void-sessions.js';

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
