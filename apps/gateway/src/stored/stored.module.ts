import { Module } from '@nestjs/common';
import { CONFIG, LOG, type Logger, type NatsConnection, SecretVault } from '@slipway/platform';
import { Registry } from '@slipway/platform/metrics';
import { KeyIndex } from '../auth/key-index.js';
import type { GatewayConfig } from '../config.js';
import { DeploymentIndex } from '../deployments/deployment-resolver.service.js';
import { BULK } from '../tokens.js';
import { StoredResponses } from './stored-responses.js';

type Parts = [NatsConnection, GatewayConfig, Logger, Registry, DeploymentIndex, KeyIndex];

function storedOf(...[nats, config, log, metrics, deployments, keys]: Parts): StoredResponses {
  const { SLIPWAY_ENV: env, SLIPWAY_SECRET_KEY: secret } = config;
  const vault = secret === undefined ? null : new SecretVault(secret);
  const isStoring = (id: Parameters<DeploymentIndex['deployment']>[0]): boolean => deployments.deployment(id)?.store === true;
  const stored = new StoredResponses({ nats, env, vault, log, metrics, isStoring });
  deployments.whenStoreEnds((id) => stored.forgetDeployment(id));
  keys.whenAccountEnds((id) => stored.forgetAccount(id));
  return stored;
}

/** Responses that later requests may refer to. */
@Module({
  providers: [{ provide: StoredResponses, useFactory: storedOf, inject: [BULK, CONFIG, LOG, Registry, DeploymentIndex, KeyIndex] }],
  exports: [StoredResponses],
})
export class StoredModule {}
