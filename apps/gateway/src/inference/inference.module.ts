import { availableParallelism } from 'node:os';
import { Module } from '@nestjs/common';
import type { Incarnation } from '@slipway/contracts';
import { CONFIG, LOG, type Logger, NATS, type NatsConnection, ThreadPool } from '@slipway/platform';
import { StreamReceiver } from '@slipway/stream-transport';
import { AuthModule } from '../auth/auth.module.js';
import { KeyVerifier } from '../auth/key-verifier.service.js';
import type { GatewayConfig } from '../config.js';
import { MemoryShares } from '../memory/memory-shares.js';
import { GatewayMetrics } from '../observability/gateway-metrics.js';
import { RequestReader } from '../reading/request-reader.js';
import { Router } from '../routing/router.service.js';
import { RoutingModule } from '../routing/routing.module.js';
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

type ServiceParts = [StreamReceiver, Router, KeyVerifier, GatewayMetrics, UsageReporter, ThreadPool, RelayTimes, GatewayConfig];

function serviceOf(...[receiver, router, keys, metrics, usage, threads, times, config]: ServiceParts): InferenceService {
  const { ANSWERS_BYTES_MAX: bytes, IMAGE_HOSTS: imageHosts } = config;
  const shareBytes = Math.max(DOCUMENT_BYTES_MAX + MIB, Math.floor(bytes * SHARE));
  const reader = new RequestReader(threads, { imageHosts });
  return new InferenceService({
    receiver,
    router,
    keys,
    metrics,
    usage,
    responseMemory: new MemoryShares({ bytes, shareBytes }),
    reader,
    times,
  });
}

/** From a request's body to the response made of a worker's events. */
@Module({
  imports: [AuthModule, RoutingModule, UsageModule],
  providers: [
    { provide: ThreadPool, useFactory: threadsOf, inject: [LOG] },
    { provide: StreamReceiver, useFactory: receiverOf, inject: [NATS, BULK, CONFIG, GATEWAY_ID, LOG] },
    {
      provide: InferenceService,
      useFactory: serviceOf,
      inject: [StreamReceiver, Router, KeyVerifier, GatewayMetrics, UsageReporter, ThreadPool, TIMES, CONFIG],
    },
  ],
  exports: [InferenceService, StreamReceiver],
})
export class InferenceModule {}
