import type { KeyFeedRecord } from '@slipway/contracts';
import type { Tx } from '@slipway/database';
import { FeedPublisher } from '@slipway/feed';

/** The key feed's publisher, under a name that Nest can inject. */
export class KeyFeedPublisher extends FeedPublisher<KeyFeedRecord, Tx> {}
