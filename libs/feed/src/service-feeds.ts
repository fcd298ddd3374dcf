import type { FeedContract, Incarnation } from '@slipway/contracts';
import { CONFIG, LOG, type Logger, NATS, type NatsConnection, nuid, type Resource, type ServiceConfig } from '@slipway/platform';
import { Counter, Registry } from '@slipway/platform/metrics';
import { FeedPublisher } from './publisher/feed-publisher.js';
import type { FeedSource, FeedStore } from './publisher/feed-store.js';
import { FeedReader } from './reader/feed-reader.js';
import type { FeedSink } from './reader/feed-sink.js';

/** A Nest injection token under which a service provides a `T`. */
type Token<T> = NonNullable<Resource<T>['token']>;

/** Injects the publisher of a feed: `@Inject(publisherOf(KeyFeed)) feed: FeedPublisher<KeyFeedRecord, Tx>`. */
export const publisherOf = <R>({ name }: FeedContract<R>): symbol => Symbol.for(`publisher of the ${name} feed`);

/** Injects the reader of a feed: `@Inject(readerOf(KeyFeed)) feed: FeedReader<KeyFeedRecord>`. */
export const readerOf = <R>({ name }: FeedContract<R>): symbol => Symbol.for(`reader of the ${name} feed`);

/** Makes the stores of feeds; implemented by a service's database. */
export interface FeedStores<Tx> {
  feedStore<R>(feed: string): FeedStore<R, Tx>;
}

/** A feed that a service publishes: its contract, its store and its records. */
export interface PublishedFeed<R, Tx> {
  readonly contract: FeedContract<R>;
  /** Provides the store; its resource must be listed before this one. */
  readonly stores: Token<FeedStores<Tx>>;
  /** The service's records; an injectable class. */
  readonly source: new (...dependencies: never[]) => FeedSource<R>;
}

/** The publisher of a feed as a resource. Not ready while its database does not answer. */
export const feedPublisher = <R, Tx>({ contract, stores, source }: PublishedFeed<R, Tx>): Resource<FeedPublisher<R, Tx>> => ({
  name: `${contract.name} feed`,
  token: publisherOf(contract),
  providers: [
    source,
    {
      provide: publisherOf(contract),
      useFactory: (...[held, records, nats, config, log, metrics]: PublisherParts<R, Tx>) =>
        new FeedPublisher({
          ...{ contract, store: held.feedStore<R>(contract.name), source: records, nats, env: config.SLIPWAY_ENV, log },
          epochBegan: epochCounter(metrics, contract.name),
        }),
      inject: [stores, source, NATS, CONFIG, LOG, Registry],
    },
  ],
  start: (publisher) => publisher.start(),
  stop: (publisher) => publisher.stop(),
  notReady: (publisher) => (publisher.serving ? null : 'the database does not answer'),
});

type PublisherParts<R, Tx> = [FeedStores<Tx>, FeedSource<R>, NatsConnection, ServiceConfig, Logger, Registry];

const EPOCHS = 'slipway_feed_epochs_total';

/** Counts the epochs of a feed that this replica began, from 0 on. A service may publish several feeds. */
function epochCounter(metrics: Registry, feed: string): () => void {
  const epochs =
    (metrics.getSingleMetric(EPOCHS) as Counter<'feed'> | undefined) ??
    new Counter({ name: EPOCHS, help: 'Epochs of a feed that this replica began.', labelNames: ['feed'] as const, registers: [metrics] });
  epochs.inc({ feed }, 0);
  return () => epochs.inc({ feed });
}

/** A feed that a service follows, and the class that takes its records. */
export interface FollowedFeed<R> {
  readonly contract: FeedContract<R>;
  /** Injectable class that stores the records. */
  readonly sink: new (...dependencies: never[]) => FeedSink<R>;
  /** Readiness reason until the first snapshot is loaded. */
  readonly missing: string;
}

/** A reader of a feed as a resource. */
export const feedReader = <R>({ contract, sink, missing }: FollowedFeed<R>): Resource<FeedReader<R>> => ({
  name: `${contract.name} feed`,
  token: readerOf(contract),
  providers: [
    sink,
    {
      provide: readerOf(contract),
      useFactory: (held: FeedSink<R>, nats: NatsConnection, config: ServiceConfig, log: Logger) =>
        new FeedReader({ contract, sink: held, nats, env: config.SLIPWAY_ENV, reader: nuid.next() as Incarnation, log }),
      inject: [sink, NATS, CONFIG, LOG],
    },
  ],
  start: (reader) => reader.start(),
  stop: (reader) => reader.stop(),
  notReady: (reader) => (reader.place === null ? missing : null),
});
