import { Module } from '@nestjs/common';
import { CONFIG, configured, LOG, type Logger, NATS, type NatsConnection, SecretVault } from '@slipway/platform';
import { AgentListener } from '../agents/agent-listener.js';
import { AgentSealers } from '../agents/agent-sealers.js';
import { AgentTable } from '../agents/agent-table.js';
import type { DeploymentsServiceConfig } from '../config.js';
import { CredentialVault } from '../deployments/credential-vault.js';
import { AssignmentSender } from './assignment-sender.js';
import { DeploymentAnnouncer } from './deployment-announcer.js';
import { Election } from './election.js';
import { ModelSizes } from './model-sizes.js';
import { PlacementRepository } from './placement.repository.js';
import { Placer } from './placer.js';
import { TargetLoader } from './target-loader.js';

function senderOf(
  ...[nats, config, log, vault, sealers]: [NatsConnection, DeploymentsServiceConfig, Logger, CredentialVault, AgentSealers]
) {
  const { SLIPWAY_ENV: env, DEFAULT_THREADS: threads = null } = config;
  return new AssignmentSender({ nats, env, log, vault, sealers, threads });
}

/** The agents that are alive, and what each of them runs. */
@Module({
  providers: [
    AgentListener,
    DeploymentAnnouncer,
    Election,
    ModelSizes,
    PlacementRepository,
    Placer,
    TargetLoader,
    { provide: AssignmentSender, useFactory: senderOf, inject: [NATS, CONFIG, LOG, CredentialVault, AgentSealers] },
    { provide: AgentTable, useFactory: () => new AgentTable(() => performance.now()) },
    configured(AgentSealers, ({ SEND_CLEAR_CREDENTIALS: send }: DeploymentsServiceConfig) => new AgentSealers(send === 'to-old-workers')),
    configured(CredentialVault, ({ SLIPWAY_SECRET_KEY: keys }: DeploymentsServiceConfig) => new CredentialVault(new SecretVault(keys))),
  ],
  exports: [AgentSealers, AgentTable, CredentialVault, DeploymentAnnouncer],
})
export class PlacementModule {}
