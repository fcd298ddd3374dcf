import { Module } from '@nestjs/common';
import { KeyFeed, type KeyFeedRecord } from '@slipway/contracts';
import { type FeedReader, readerOf } from '@slipway/feed';
import { CONFIG, configured, LOG, type Logger, Readiness, Tracing } from '@slipway/platform';
import { AuthModule } from '../auth/auth.module.js';
import { InvalidKeyLimiter, KeyVerifier } from '../auth/key-verifier.service.js';
import type { GatewayConfig } from '../config.js';
import { DeploymentResolver } from '../deployments/deployment-resolver.service.js';
import { LimitsModule } from '../limits/limit-sync.js';
import { RateLimiter } from '../limits/rate-limiter.js';
import { MemoryShares } from '../memory/memory-shares.js';
import { GatewayMetrics } from '../observability/gateway-metrics.js';
import { OpenApiController } from '../openapi/openapi.controller.js';
import { Router } from '../routing/router.service.js';
import { RoutingModule } from '../routing/routing.module.js';
import { SurfaceRegistry } from '../surfaces/registry.js';
import { HTTP_SETTINGS, type HttpSettings } from '../tokens.js';
import { UsageModule, UsageReporter } from '../usage/usage-reporter.js';
import { Connections } from './connections.js';
import { Cors } from './cors.js';
import { HealthController, SecurityTextController } from './open-routes.controller.js';
import { RequestGate } from './request-gate.js';
import { RequestsInFlight } from './requests-in-flight.js';
import { Shutdown } from './shutdown.js';
import { Uploads } from './uploads.js';

/** Share of the memory for bodies that one account may use. */
const SHARE = 1 / 4;
/** Share of its account's memory that one key may use. */
const KEY_SHARE = 3 / 4;

function settingsOf(config: GatewayConfig, readiness: Readiness, shutdown: Shutdown): HttpSettings {
  const { HOST: host, PORT: port, PUBLIC_BASE_URL: publicUrl } = config;
  return {
    baseUrl: publicUrl?.replace(/\/+$/, '') ?? `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${port}`,
    bodyBytesMax: config.BODY_BYTES_MAX,
    notReady: () => readiness.notReady(),
    shutdown: () => shutdown.phase,
    securityContact: config.SECURITY_CONTACT,
  };
}

/** The share of an account, and of a key, has room for one body at least. */
function uploadsOf(config: GatewayConfig): Uploads {
  const shareOf = (share: number): number => Math.max(config.BODY_BYTES_MAX, Math.floor(config.BODIES_BYTES_MAX * share));
  return new Uploads({
    memory: new MemoryShares({ bytes: config.BODIES_BYTES_MAX, shareBytes: shareOf(SHARE), keyBytes: shareOf(SHARE * KEY_SHARE) }),
    perAccount: config.UPLOADS_PER_ACCOUNT_MAX,
    bytesPerS: config.BODY_BYTES_PER_S_MIN,
    now: () => performance.now(),
  });
}

function connectionsOf(config: GatewayConfig, log: Logger): Connections {
  const { CONNECTIONS_MAX: most, CONNECTIONS_PER_ADDRESS_MAX: perAddress, CONNECTIONS_PER_ACCOUNT_MAX: perAccount } = config;
  return new Connections({ most, perAddress, perAccount, log });
}

type InFlightParts = [Cors, UsageReporter, SurfaceRegistry, GatewayMetrics, Logger, Tracing, Shutdown];

const inFlightOf = (...[cors, usage, surfaces, metrics, log, tracing, shutdown]: InFlightParts): RequestsInFlight =>
  new RequestsInFlight({
    cors,
    countRefused: (request) => usage.countRefused(request),
    surfaces,
    metrics,
    log,
    tracing,
    shutdown: () => shutdown.phase,
  });

type CallParts = [KeyVerifier, FeedReader<KeyFeedRecord>, DeploymentResolver, InvalidKeyLimiter, RateLimiter, Router, Uploads];
type DoorParts = [Connections, SurfaceRegistry, RequestsInFlight, Cors, HttpSettings];

function gateOf(...parts: [...CallParts, ...DoorParts]): RequestGate {
  const [keys, keyFeed, deployments, invalidKeys, limits, router, uploads, connections, surfaces, inFlight, cors, settings] = parts;
  return new RequestGate({
    keys,
    keyFeed,
    deployments,
    invalidKeys,
    limits,
    router,
    uploads,
    connections,
    surfaces,
    inFlight,
    cors,
    settings,
  });
}

/** HTTP up to the body of a request, and the routes without a key. */
@Module({
  imports: [AuthModule, LimitsModule, RoutingModule, UsageModule],
  controllers: [HealthController, OpenApiController, SecurityTextController],
  providers: [
    Shutdown,
    configured(Cors, ({ CORS_ORIGINS: origins }: GatewayConfig) => new Cors(origins)),
    configured(Uploads, uploadsOf),
    { provide: HTTP_SETTINGS, useFactory: settingsOf, inject: [CONFIG, Readiness, Shutdown] },
    { provide: Connections, useFactory: connectionsOf, inject: [CONFIG, LOG] },
    {
      provide: RequestsInFlight,
      useFactory: inFlightOf,
      inject: [Cors, UsageReporter, SurfaceRegistry, GatewayMetrics, LOG, Tracing, Shutdown],
    },
    {
      provide: RequestGate,
      useFactory: gateOf,
      inject: [
        ...[KeyVerifier, readerOf(KeyFeed), DeploymentResolver, InvalidKeyLimiter, RateLimiter, Router, Uploads],
        ...[Connections, SurfaceRegistry, RequestsInFlight, Cors, HTTP_SETTINGS],
      ],
    },
  ],
})
export class HttpModule {}
