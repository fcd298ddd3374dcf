import { type DynamicModule, type FactoryProvider, Module } from '@nestjs/common';
import { DeploymentFeed, type DeploymentFeedRecord, KeyFeed, type KeyFeedRecord } from '@slipway/contracts';
import { type FeedReader, feedReader, readerOf } from '@slipway/feed';
import { CONFIG, configured, defineService, PROCESS_NAME, resource, ThreadPool, Tracing, tracingSettings } from '@slipway/platform';
import { Registry } from '@slipway/platform/metrics';
import { StreamReceiver } from '@slipway/stream-transport';
import { AuthModule } from './auth/auth.module.js';
import { KeyIndex } from './auth/key-index.js';
import { GatewayConfig } from './config.js';
import { DeploymentIndex } from './deployments/deployment-resolver.service.js';
import { gatewayDoor } from './http/http-door.js';
import { HttpModule } from './http/http.module.js';
import { InferenceModule } from './inference/inference.module.js';
import { InferenceService } from './inference/inference.service.js';
import { RELAY_TIMES, type RelayTimes, TIMES } from './inference/relayed-response.js';
import { LimitsModule, LimitSync } from './limits/limit-sync.js';
import { GatewayMetrics } from './observability/gateway-metrics.js';
import { HeartbeatListener } from './routing/heartbeat-listener.js';
import { LoadReporter } from './routing/load-reporter.js';
import { Router } from './routing/router.service.js';
import { RoutingModule } from './routing/routing.module.js';
import { WorkerTable } from './routing/worker-table.js';
import { ModelsController } from './surfaces/models/models.controller.js';
import { SurfaceRegistry } from './surfaces/registry.js';
import { SURFACES } from './surfaces/surfaces.js';
import { BULK, GATEWAY_ID } from './tokens.js';
import { UsageModule, UsageReporter } from './usage/usage-reporter.js';

/** Time to store the last usage records during a stop, in milliseconds. */
const LAST_RECORDS_MS = 1_500;

/** What a test may replace in a gateway, besides its configuration. */
export interface GatewayOverrides {
  /** The public contracts. */
  readonly surfaces?: SurfaceRegistry;
  /** Timeouts of relayed responses. */
  readonly times?: Partial<RelayTimes>;
}

type Gauged = [GatewayMetrics, InferenceService, Router, WorkerTable, KeyIndex, DeploymentIndex, StreamReceiver, UsageReporter, ...Feeds];
type Feeds = [FeedReader<KeyFeedRecord>, FeedReader<DeploymentFeedRecord>];

/** Registers the gauges, which are read when metrics are scraped. */
const gauges: FactoryProvider = {
  provide: Symbol('gauges'),
  useFactory: (...[metrics, inference, router, table, keys, index, receiver, usage, keyFeed, deploymentFeed]: Gauged) =>
    metrics.observe({
      activeStreams: () => inference.active,
      waiting: () => router.waiting,
      workers: () => table.size,
      keys: () => keys.size,
      feedAges: () => ({ key: keyFeed.freshness().ageMs, dep: deploymentFeed.freshness().ageMs }),
      transport: () => ({ ...receiver.counters }),
      usage: () => ({ ...usage.counters }),
      usageWaiting: () => usage.waiting,
      deployments: () => router.deployments(index.wanted()),
    }),
  inject: [
    ...[GatewayMetrics, InferenceService, Router, WorkerTable, KeyIndex, DeploymentIndex, StreamReceiver, UsageReporter],
    ...[readerOf(KeyFeed), readerOf(DeploymentFeed)],
  ],
};

@Module({ imports: [HttpModule, AuthModule, InferenceModule, LimitsModule, RoutingModule, UsageModule], providers: [gauges] })
class GatewayModule {
  static speaking(surfaces: SurfaceRegistry): DynamicModule {
    return { module: GatewayModule, controllers: [ModelsController, ...surfaces.controllers] };
  }
}

/** The service definition of a gateway, with a test's overrides. */
export const gatewayWith = ({ surfaces = SURFACES, times }: GatewayOverrides = {}) =>
  defineService({
    name: 'gateway',
    role: 'gateway',
    config: GatewayConfig,
    module: GatewayModule.speaking(surfaces),
    connections: { bulk: BULK },
    providers: [
      { provide: GATEWAY_ID, useExisting: PROCESS_NAME },
      configured(Tracing, (config: GatewayConfig) => new Tracing(tracingSettings(config, 'gateway'))),
      { provide: SurfaceRegistry, useFactory: () => surfaces },
      configured(TIMES, ({ ENGINE_SILENCE_MS: engineSilenceMs }: GatewayConfig) => ({ ...RELAY_TIMES, engineSilenceMs, ...times })),
      {
        provide: GatewayMetrics,
        useFactory: (registry: Registry, { METRICS_DEPLOYMENTS_MAX: most }: GatewayConfig) => new GatewayMetrics(registry, most),
        inject: [Registry, CONFIG],
      },
    ],
    resources: [
      resource(Tracing),
      feedReader({ contract: KeyFeed, sink: KeyIndex, missing: 'keys are not loaded' }),
      feedReader({ contract: DeploymentFeed, sink: DeploymentIndex, missing: 'deployments are not loaded' }),
      { name: 'streams', token: StreamReceiver, stop: (receiver: StreamReceiver) => receiver.stop() },
      resource(HeartbeatListener),
      resource(LoadReporter),
      resource(LimitSync),
      {
        name: 'usage',
        token: UsageReporter,
        start: (usage: UsageReporter) => usage.start(),
        stop: (usage: UsageReporter) => usage.stop(LAST_RECORDS_MS),
      },
      { name: 'read threads', token: ThreadPool, stop: (threads: ThreadPool) => threads.close() },
    ],
    http: gatewayDoor,
  });

/** The public inference API. */
export const gatewayService = gatewayWith();
