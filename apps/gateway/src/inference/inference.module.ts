import { availableParallelism } from 'node:os';
import { Module } from '@nestjs/common';
import type { Incarnation } from '@slipway/contracts';
import { CONFIG, configured, LOG, type Logger, NATS, type NatsConnection, ThreadPool } from '@slipway/platform';
import { StreamReceiver } from '@slipway/stream-transport';
import { AuthModule } from '../auth/auth.module.js';
import { KeyVerifier } from '../auth/key-verifier.service.js';
import type { GatewayConfig } from '../config.js';
import { MemoryShares } from '../memory/memory-shares.js';
import { GatewayMetrics } from '../observability/gateway-metrics.js';
import { RequestReader } from '../reading/request-reader.js';
import { Router } from '../routing/router.service.js';
import { RoutingModule } from '../routing/routing.module.js';
import { StoredResponses } from '../stored/stored-responses.js';
import { StoredModule } from '../stored/stored.module.js';
import { BULK, GATEWAY_ID } from '../tokens.js';
import { UsageModule, UsageReporter } from '../usage/usage-reporter.js';
import { DOCUMENT_BYTES_MAX } from './document-response.js';
import { InferenceService } from './inference.service.js';
import { type RelayTimes, TIMES } from './relayed-response.js';

/** Most threads for large bodies, limited by the cores; at least two, so that one account cannot block all. */
const READ_THREADS_MAX = 4;
/** Timeout for reading one body, in milliseconds; the largest takes a hundredth of it. */
const READ_MS = 5_000;
/** Share of the memory for responses that one account may use. */
const SHARE = 1 / 4;
const MIB = 1024 * 1024;

function threadsOf(log: Logger): ThreadPool {
  const threadUrl = new URL('../reading/read-thread.js', import.meta.url);
  const threads = Math.min(READ_THREADS_MAX, Math.max(2, availableParallelism()));
  return new ThreadPool({ threadUrl, threads, taskMs: READ_MS, log });
}

type ReceiverParts = [NatsConnection, NatsConnection, GatewayConfig, Incarnation, Logger];

function receiverOf(...[nats, bulk, config, gw, log]: ReceiverParts): StreamReceiver {
  const { SLIPWAY_ENV: env, FIRST_TOKEN_TIMEOUT_MS: firstTokenMs } = config;
  return new StreamReceiver({ nats, bulk, env, gw, log, settings: { firstTokenMs } });
}

type ServiceParts = [StreamReceiver, Router, KeyVerifier, GatewayMetrics, UsageReporter, ThreadPool, RelayTimes, GatewayConfig, ...Stores];
type Stores = [StoredResponses, MemoryShares];

/** Memory for responses. */
function responseMemoryOf({ ANSWERS_BYTES_MAX: bytes }: GatewayConfig): MemoryShares {
  return new MemoryShares({ bytes, shareBytes: Math.max(DOCUMENT_BYTES_MAX + MIB, Math.floor(bytes * SHARE)) });
}

function serviceOf(
  ...[receiver, router, keys, metrics, usage, threads, times, config, stored, responseMemory]: ServiceParts
): InferenceService {
  const { IMAGE_HOSTS: imageHosts } = config;
  const reader = new RequestReader(threads, { imageHosts }, stored);
  return new InferenceService({
    receiver,
    router,
    keys,
    metrics,
    usage,
    responseMemory,
    reader,
    times,
    stored,
  });
}

/** From a request's body to the response made of a worker's events. */
@Module({
  imports: [AuthModule, RoutingModule, StoredModule, UsageModule],
  providers: [
    { provide: ThreadPool, useFactory: threadsOf, inject: [LOG] },
    { provide: StreamReceiver, useFactory: receiverOf, inject: [NATS, BULK, CONFIG, GATEWAY_ID, LOG] },
    configured(MemoryShares, responseMemoryOf),
    {
      provide: InferenceService,
      useFactory: serviceOf,
      inject: [
        StreamReceiver,
        Router,
        KeyVerifier,
        GatewayMetrics,
        UsageReporter,
        ThreadPool,
        TIMES,
        CONFIG,
        StoredResponses,
        MemoryShares,
      ],
    },
  ],
  exports: [InferenceService, MemoryShares, StoredModule, StreamReceiver],
})
export class InferenceModule {}
