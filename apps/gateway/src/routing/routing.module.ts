import { Module } from '@nestjs/common';
import { DeploymentFeed, type DeploymentFeedRecord, type DeploymentId, type Incarnation } from '@slipway/contracts';
import { type FeedReader, readerOf } from '@slipway/feed';
import { CONFIG, NATS, type NatsConnection, type ServiceConfig } from '@slipway/platform';
import type { GatewayConfig } from '../config.js';
import { DeploymentIndex } from '../deployments/deployment-resolver.service.js';
import { GATEWAY_ID } from '../tokens.js';
import { HeartbeatListener } from './heartbeat-listener.js';
import { LoadReporter } from './load-reporter.js';
import { Router } from './router.service.js';
import { type Standing, WorkerTable } from './worker-table.js';

/** Without a fresh feed, replaced agents cannot be recognised, so every runner of the deployment is used. */
function tableOf(deployments: DeploymentIndex, feed: FeedReader<DeploymentFeedRecord>): WorkerTable {
  const standing = (deployment: DeploymentId, agent: string): Standing => {
    const agents = deployments.deployment(deployment)?.agents;
    if (agents?.some((named) => named === agent)) return 'named';
    return agents === undefined || feed.freshness().state !== 'fresh' ? 'unknown' : 'foreign';
  };
  return new WorkerTable(() => performance.now(), standing);
}

const routerOf = (table: WorkerTable, { QUEUE_WAIT_MS: queueWaitMs }: GatewayConfig): Router =>
  new Router({ table, queueWaitMs, now: () => performance.now(), random: Math.random });

type RouterParts = [NatsConnection, ServiceConfig, Incarnation, Router];

const listenerOf = (...[nats, { SLIPWAY_ENV: env }, gw, router]: RouterParts): HeartbeatListener =>
  new HeartbeatListener({ nats, env, gw, router });

const reporterOf = (...[nats, { SLIPWAY_ENV: env }, gw, router]: RouterParts): LoadReporter => new LoadReporter({ nats, env, gw, router });

/** The known runners, and the choice of one for each stream. */
@Module({
  providers: [
    { provide: WorkerTable, useFactory: tableOf, inject: [DeploymentIndex, readerOf(DeploymentFeed)] },
    { provide: Router, useFactory: routerOf, inject: [WorkerTable, CONFIG] },
    { provide: HeartbeatListener, useFactory: listenerOf, inject: [NATS, CONFIG, GATEWAY_ID, Router] },
    { provide: LoadReporter, useFactory: reporterOf, inject: [NATS, CONFIG, GATEWAY_ID, Router] },
  ],
  exports: [Router, WorkerTable],
})
export class RoutingModule {}
