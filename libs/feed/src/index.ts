export { processClock } from './clock.js';
export type { MonotonicClock } from './clock.js';
export { STALE_AFTER_MS } from './limits.js';
export { FeedPublisher } from './publisher/feed-publisher.js';
export type { FeedPublisherOptions, Propagation } from './publisher/feed-publisher.js';
export type {
  ChangeTicket,
  FeedClaim,
  FeedHead,
  FeedPlace,
  FeedSource,
  FeedStore,
  FeedStoreEvents,
  ReaderClaim,
  RecordChange,
  SequencedChange,
  StoredRecord,
  StoredSince,
} from './publisher/feed-store.js';
export { FeedReader } from './reader/feed-reader.js';
export type { FeedReaderOptions } from './reader/feed-reader.js';
export type { FeedRenewal, FeedSink } from './reader/feed-sink.js';
export type { Freshness, FreshnessState } from './reader/feed-position.js';
export { feedPublisher, feedReader, publisherOf, readerOf } from './service-feeds.js';
export type { FeedStores, FollowedFeed, PublishedFeed } from './service-feeds.js';
