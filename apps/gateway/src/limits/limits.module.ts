import { Module } from '@nestjs/common';
import { type Incarnation, KeyFeed, type KeyFeedRecord } from '@slipway/contracts';
import { type FeedReader, readerOf } from '@slipway/feed';
import { CONFIG, LOG, type Logger, NATS, type NatsConnection, type ServiceConfig } from '@slipway/platform';
import { KeyIndex } from '../auth/key-index.js';
import { GATEWAY_ID } from '../tokens.js';
import { LimitBook } from './limit-book.js';
import { LimitExchange } from './limit-exchange.js';

type ExchangeParts = [NatsConnection, ServiceConfig, Incarnation, Logger, LimitBook, KeyIndex, FeedReader<KeyFeedRecord>];

const exchangeOf = (...[nats, { SLIPWAY_ENV: env }, gw, log, book, keys, feed]: ExchangeParts): LimitExchange =>
  new LimitExchange({ nats, env, gw, log, book, keys, isLoaded: () => feed.place !== null });

/** How much accounts and keys have taken of their limits, over all gateways. */
@Module({
  providers: [
    { provide: LimitBook, useFactory: () => new LimitBook({ now: () => performance.now(), date: () => Date.now() }) },
    { provide: LimitExchange, useFactory: exchangeOf, inject: [NATS, CONFIG, GATEWAY_ID, LOG, LimitBook, KeyIndex, readerOf(KeyFeed)] },
  ],
  exports: [LimitBook],
})
export class LimitsModule {}
