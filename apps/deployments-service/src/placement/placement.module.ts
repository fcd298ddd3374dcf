import { Module } from '@nestjs/common';
import { CONFIG, configured, LOG, type Logger, NATS, type NatsConnection, SecretVault } from '@slipway/platform';
import { AgentListener } from '../agents/agent-listener.js';
import { AgentSealers } from '../agents/agent-sealers.js';
import { AgentTable } from '../agents/agent-table.js';
import { LoadTimes } from '../agents/load-times.js';
import { Autoscaler } from '../autoscaling/autoscaler.js';
import { PlacementMetrics } from '../autoscaling/placement-metrics.js';
import type { DeploymentsServiceConfig } from '../config.js';
import { CredentialVault } from '../deployments/revision-settings.js';
import { LoadTable } from '../load/load-table.js';
import { EventsRepository } from '../events/events.repository.js';
import { AssignmentSender } from './assignment-sender.js';
import { DeploymentAnnouncer } from './deployment-announcer.js';
import { Election, Placer } from './placer.js';
import { TargetLoader } from './target-loader.js';
import { PlacementRepository } from './placement.repository.js';

function senderOf(
  ...[nats, config, log, vault, sealers]: [NatsConnection, DeploymentsServiceConfig, Logger, CredentialVault, AgentSealers]
) {
  const { SLIPWAY_ENV: env, DEFAULT_THREADS: threads = null } = config;
  return new AssignmentSender({ nats, env, log, vault, sealers, threads });
}

/** Live agents, and the placement of deployments on them. */
@Module({
  providers: [
    AgentListener,
    Autoscaler,
    DeploymentAnnouncer,
    Election,
    EventsRepository,
    PlacementMetrics,
    PlacementRepository,
    Placer,
    TargetLoader,
    { provide: AssignmentSender, useFactory: senderOf, inject: [NATS, CONFIG, LOG, CredentialVault, AgentSealers] },
    { provide: AgentTable, useFactory: () => new AgentTable(() => performance.now()) },
    { provide: LoadTable, useFactory: () => new LoadTable(() => performance.now()) },
    { provide: LoadTimes, useFactory: () => new LoadTimes(() => performance.now()) },
    configured(AgentSealers, ({ SEND_CLEAR_CREDENTIALS: send }: DeploymentsServiceConfig) => new AgentSealers(send === 'to-old-workers')),
    configured(CredentialVault, ({ SLIPWAY_SECRET_KEY: keys }: DeploymentsServiceConfig) => new CredentialVault(new SecretVault(keys))),
  ],
  exports: [
    AgentSealers,
    AgentTable,
    CredentialVault,
    DeploymentAnnouncer,
    EventsRepository,
    LoadTable,
    LoadTimes,
    PlacementRepository,
    Placer,
    TargetLoader,
  ],
})
export class PlacementModule {}
