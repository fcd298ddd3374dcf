import { Module } from '@nestjs/common';
import { DeploymentFeed } from '@slipway/contracts';
import { Database, database, RefusalLog, refusalLog } from '@slipway/database';
import { feedPublisher } from '@slipway/feed';
import { defineService, resource } from '@slipway/platform';
import { followedProofs, RpcGate, rpcGate } from '@slipway/proof';
import { AdapterUses } from './adapters/adapter-uses.js';
import { AgentListener } from './agents/agent-listener.js';
import { AgentsModule } from './agents/agents.module.js';
import { AliasesModule } from './aliases/aliases.module.js';
import { AuditModule } from './audit/audit.module.js';
import { DeploymentsServiceConfig } from './config.js';
import { deploymentsDatabase } from './db/schema.js';
import { DeploymentsModule } from './deployments/deployments.module.js';
import { EnginesModule } from './engines/engines.module.js';
import { EventsModule } from './events/events.module.js';
import { FeedSourceRepository } from './feed/feed-source.repository.js';
import { LoadListener } from './load/load-listener.js';
import { LoadModule } from './load/load.module.js';
import { LogsModule } from './logs/logs.module.js';
import { ModelsModule } from './models/models.module.js';
import { OptionsModule } from './options/options.module.js';
import { Election, Placer } from './placement/placer.js';
import { PlacementModule } from './placement/placement.module.js';
import { QuotasModule } from './quotas/quotas.module.js';
import { RolloutRounds } from './rollouts/rollout-rounds.js';
import { RolloutsModule } from './rollouts/rollouts.module.js';

@Module({
  imports: [
    DeploymentsModule,
    AliasesModule,
    ModelsModule,
    EnginesModule,
    LogsModule,
    LoadModule,
    EventsModule,
    OptionsModule,
    AuditModule,
    QuotasModule,
    PlacementModule,
    AgentsModule,
    RolloutsModule,
  ],
  providers: [rpcGate(RefusalLog)],
})
class DeploymentsServiceModule {}

/** Owns deployments, places them on workers, and publishes the feed that gateways follow. */
export const deploymentsService = defineService({
  name: 'deployments-service',
  role: 'deployments',
  config: DeploymentsServiceConfig,
  module: DeploymentsServiceModule,
  resources: [
    database(deploymentsDatabase),
    followedProofs(),
    feedPublisher({ contract: DeploymentFeed, stores: Database, source: FeedSourceRepository }),
    resource(AgentListener),
    resource(LoadListener),
    resource(Placer),
    resource(Election),
    resource(AdapterUses),
    resource(RolloutRounds),
    refusalLog(),
  ],
  rpc: { gate: RpcGate },
});
