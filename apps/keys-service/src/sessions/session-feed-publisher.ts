import type { SessionFeedRecord } from '@slipway/contracts';
import type { Tx } from '@slipway/database';
import { FeedPublisher } from '@slipway/feed';

/** The session feed's publisher, under a name that Nest can inject. */
export class SessionFeedPublisher extends FeedPublisher<SessionFeedRecord, Tx> {}
