import { Controller, Module } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { ListAliases, PointAlias, RemoveAlias } from '@slipway/contracts';
import { RpcHandler } from '@slipway/platform/service';
import type { z } from 'zod';
import { AdapterGate } from '../adapters/adapter-gate.js';
import { DeploymentsRepository } from '../deployments/deployments.repository.js';
import { PlacementModule } from '../placement/placement.module.js';
import { QuotasModule } from '../quotas/quotas.module.js';
import { RolloutChanges } from '../rollouts/rollout-changes.js';
import { RolloutsRepository } from '../rollouts/rollouts.repository.js';
import { AliasesRepository } from './aliases.repository.js';
import { AliasesService } from './aliases.service.js';

@Controller()
class AliasesHandlers {
  constructor(private readonly aliases: AliasesService) {}

  @RpcHandler(ListAliases)
  list(@Payload() request: z.output<typeof ListAliases.request>): Promise<z.input<typeof ListAliases.reply>> {
    return this.aliases.list(request);
  }

  @RpcHandler(PointAlias)
  point(@Payload() request: z.output<typeof PointAlias.request>): Promise<z.input<typeof PointAlias.reply>> {
    return this.aliases.point(request);
  }

  @RpcHandler(RemoveAlias)
  remove(@Payload() request: z.output<typeof RemoveAlias.request>): Promise<z.input<typeof RemoveAlias.reply>> {
    return this.aliases.remove(request);
  }
}

@Module({
  imports: [QuotasModule, PlacementModule],
  controllers: [AliasesHandlers],
  providers: [AdapterGate, AliasesRepository, AliasesService, DeploymentsRepository, RolloutChanges, RolloutsRepository],
  exports: [AdapterGate, AliasesRepository, DeploymentsRepository, RolloutChanges, RolloutsRepository],
})
export class AliasesModule {}
