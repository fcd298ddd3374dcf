import { Module } from '@nestjs/common';
import { CONFIG, configured } from '@slipway/platform';
import { AgentTable } from '../agents/agent-table.js';
import { AliasesModule } from '../aliases/aliases.module.js';
import type { DeploymentsServiceConfig } from '../config.js';
import { PlacementModule } from '../placement/placement.module.js';
import { QuotasModule } from '../quotas/quotas.module.js';
import { DeploymentCommandsService } from './deployment-commands.service.js';
import { DeploymentDefaults } from './deployment-defaults.js';
import { DeploymentUpdatesService } from './deployment-updates.service.js';
import { DeploymentViewsService } from './deployment-views.service.js';
import { DeploymentsHandlers } from './deployments.handlers.js';
import { DeploymentsRepository } from './deployments.repository.js';
import { DeploymentsService } from './deployments.service.js';
import { SettingsComposer } from './revision-settings.js';
import { RevisionsRepository } from './revisions.repository.js';
import { SettingBounds } from './setting-bounds.js';
import { SourceRules } from './source-rules.js';

const boundsOf = (config: DeploymentsServiceConfig, agents: AgentTable): SettingBounds =>
  new SettingBounds(
    {
      threads: config.THREADS_MAX ?? null,
      slots: config.SLOTS_MAX,
      context: config.CONTEXT_MAX,
      replicas: config.REPLICAS_MAX,
    },
    agents,
  );

@Module({
  imports: [QuotasModule, PlacementModule, AliasesModule],
  controllers: [DeploymentsHandlers],
  providers: [
    DeploymentCommandsService,
    DeploymentsRepository,
    DeploymentsService,
    DeploymentUpdatesService,
    DeploymentViewsService,
    RevisionsRepository,
    SettingsComposer,
    { provide: SettingBounds, useFactory: boundsOf, inject: [CONFIG, AgentTable] },
    configured(
      DeploymentDefaults,
      ({ DEFAULT_SLOTS: llamaSlots, SLOTS_MAX: slotsMax, REPLICAS_MAX: replicasMax }: DeploymentsServiceConfig) =>
        new DeploymentDefaults({ llamaSlots, slotsMax, replicasMax }),
    ),
    configured(
      SourceRules,
      ({ MODEL_DIRS: modelDirs, MODEL_HOSTS: modelHosts, ENGINE_HOSTS: engineHosts }: DeploymentsServiceConfig) =>
        new SourceRules({ modelDirs, modelHosts, engineHosts }),
    ),
  ],
  exports: [DeploymentDefaults, DeploymentsRepository, RevisionsRepository, SettingsComposer, SourceRules],
})
export class DeploymentsModule {}
