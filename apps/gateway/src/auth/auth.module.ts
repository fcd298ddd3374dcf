import { Module } from '@nestjs/common';
import { DeploymentFeed, type DeploymentFeedRecord, KeyFeed, type KeyFeedRecord } from '@slipway/contracts';
import { type FeedReader, readerOf } from '@slipway/feed';
import { CONFIG, configured } from '@slipway/platform';
import type { GatewayConfig } from '../config.js';
import { DeploymentIndex, DeploymentResolver } from '../deployments/deployment-resolver.service.js';
import { RoutingModule } from '../routing/routing.module.js';
import { WorkerTable } from '../routing/worker-table.js';
import { KeyIndex } from './key-index.js';
import { InvalidKeyLimiter, KeyVerifier, trustOf } from './key-verifier.service.js';

function verifierOf(keys: KeyIndex, feed: FeedReader<KeyFeedRecord>, config: GatewayConfig): KeyVerifier {
  const { KEY_PEPPERS: peppers, KEYS_ABSENT_GRACE_MS: graceMs } = config;
  return new KeyVerifier(keys, peppers, () => trustOf(feed.freshness(), graceMs));
}

type ResolverParts = [KeyIndex, DeploymentIndex, FeedReader<DeploymentFeedRecord>, WorkerTable];

const resolverOf = (...[keys, deployments, feed, table]: ResolverParts): DeploymentResolver =>
  new DeploymentResolver(keys, deployments, {
    isReady: (id) => table.isReady(id),
    isCurrent: () => feed.freshness().state === 'fresh',
  });

/** Authentication, and the deployment that a request names. */
@Module({
  imports: [RoutingModule],
  providers: [
    { provide: KeyVerifier, useFactory: verifierOf, inject: [KeyIndex, readerOf(KeyFeed), CONFIG] },
    { provide: DeploymentResolver, useFactory: resolverOf, inject: [KeyIndex, DeploymentIndex, readerOf(DeploymentFeed), WorkerTable] },
    configured(InvalidKeyLimiter, ({ INVALID_KEYS_PER_S: perS }: GatewayConfig) => new InvalidKeyLimiter(perS, () => performance.now())),
  ],
  exports: [KeyVerifier, DeploymentResolver, InvalidKeyLimiter],
})
export class AuthModule {}
