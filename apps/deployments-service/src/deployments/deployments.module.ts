import { Controller, Module } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  CreateDeployment,
  DeleteDeployment,
  FindDeployment,
  ListDeployments,
  ResumeDeployment,
  ScaleDeployment,
  StopDeployment,
  UpdateDeployment,
} from '@slipway/contracts';
import { CONFIG, configured } from '@slipway/platform';
import { RpcHandler } from '@slipway/platform/service';
import type { z } from 'zod';
import { AdapterUses } from '../adapters/adapter-uses.js';
import { AdapterUsesRepository } from '../adapters/adapter-uses.repository.js';
import { RequestedModels } from '../adapters/requested-models.js';
import { AgentTable } from '../agents/agent-table.js';
import { AliasesModule } from '../aliases/aliases.module.js';
import type { DeploymentsServiceConfig } from '../config.js';
import { PlacementModule } from '../placement/placement.module.js';
import { QuotasModule } from '../quotas/quotas.module.js';
import { DeploymentCommandsService } from './deployment-commands.service.js';
import { DeploymentUpdatesService } from './deployment-updates.service.js';
import { DeploymentViewsService } from './deployment-views.service.js';
import { DeploymentsService } from './deployments.service.js';
import { SettingsComposer } from './revision-settings.js';
import { RevisionsRepository } from './revisions.repository.js';
import { SettingsPolicy } from './settings-policy.js';
import { SourceRules } from './source-rules.js';

type Request<C extends { request: z.ZodType }> = z.output<C['request']>;
type Reply<C extends { reply: z.ZodType }> = Promise<z.input<C['reply']>>;

@Controller()
class DeploymentsHandlers {
  constructor(
    private readonly deployments: DeploymentsService,
    private readonly updates: DeploymentUpdatesService,
    private readonly commands: DeploymentCommandsService,
    private readonly views: DeploymentViewsService,
  ) {}

  @RpcHandler(CreateDeployment)
  create(@Payload() request: Request<typeof CreateDeployment>): Reply<typeof CreateDeployment> {
    return this.deployments.create(request);
  }

  @RpcHandler(ListDeployments)
  list(@Payload() request: Request<typeof ListDeployments>): Reply<typeof ListDeployments> {
    return this.views.list(request);
  }

  @RpcHandler(FindDeployment)
  find(@Payload() request: Request<typeof FindDeployment>): Reply<typeof FindDeployment> {
    return this.views.find(request);
  }

  @RpcHandler(UpdateDeployment)
  update(@Payload() request: Request<typeof UpdateDeployment>): Reply<typeof UpdateDeployment> {
    return this.updates.update(request);
  }

  @RpcHandler(StopDeployment)
  stop(@Payload() request: Request<typeof StopDeployment>): Reply<typeof StopDeployment> {
    return this.commands.stop(request);
  }

  @RpcHandler(ResumeDeployment)
  resume(@Payload() request: Request<typeof ResumeDeployment>): Reply<typeof ResumeDeployment> {
    return this.commands.resume(request);
  }

  @RpcHandler(ScaleDeployment)
  scale(@Payload() request: Request<typeof ScaleDeployment>): Reply<typeof ScaleDeployment> {
    return this.commands.scale(request);
  }

  @RpcHandler(DeleteDeployment)
  delete(@Payload() request: Request<typeof DeleteDeployment>): Reply<typeof DeleteDeployment> {
    return this.commands.delete(request);
  }
}

function policyOf(config: DeploymentsServiceConfig, agents: AgentTable): SettingsPolicy {
  const {
    DEFAULT_SLOTS: defaultSlots,
    THREADS_MAX: threads = null,
    SLOTS_MAX: slots,
    CONTEXT_MAX: context,
    REPLICAS_MAX: replicas,
  } = config;
  return new SettingsPolicy({ defaultSlots, max: { threads, slots, context, replicas } }, agents);
}

/** Deployments and their revisions: commands, views, and the rules for what they may run. */
@Module({
  imports: [QuotasModule, PlacementModule, AliasesModule],
  controllers: [DeploymentsHandlers],
  providers: [
    AdapterUses,
    AdapterUsesRepository,
    DeploymentCommandsService,
    DeploymentsService,
    DeploymentUpdatesService,
    DeploymentViewsService,
    RequestedModels,
    RevisionsRepository,
    SettingsComposer,
    { provide: SettingsPolicy, useFactory: policyOf, inject: [CONFIG, AgentTable] },
    configured(
      SourceRules,
      ({ MODEL_DIRS: modelDirs, MODEL_HOSTS: modelHosts, ENGINE_HOSTS: engineHosts }: DeploymentsServiceConfig) =>
        new SourceRules({ modelDirs, modelHosts, engineHosts }),
    ),
  ],
  exports: [AliasesModule, RequestedModels, RevisionsRepository, SettingsComposer, SettingsPolicy, SourceRules],
})
export class DeploymentsModule {}
