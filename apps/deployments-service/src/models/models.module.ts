import { Controller, Module } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { ListModels } from '@slipway/contracts';
import { configured } from '@slipway/platform';
import { RpcHandler } from '@slipway/platform/service';
import type { z } from 'zod';
import type { DeploymentsServiceConfig } from '../config.js';
import { DeploymentsModule } from '../deployments/deployments.module.js';
import { PlacementModule } from '../placement/placement.module.js';
import { QuotasModule } from '../quotas/quotas.module.js';
import { ModelCatalogService } from './model-catalog.service.js';
import { ModelFolders } from './model-folders.js';

@Controller()
class ModelsHandlers {
  constructor(private readonly models: ModelCatalogService) {}

  @RpcHandler(ListModels)
  list(@Payload() request: z.output<typeof ListModels.request>): Promise<z.input<typeof ListModels.reply>> {
    return this.models.list(request);
  }
}

@Module({
  imports: [QuotasModule, PlacementModule, DeploymentsModule],
  controllers: [ModelsHandlers],
  providers: [ModelCatalogService, configured(ModelFolders, ({ MODEL_DIRS: folders }: DeploymentsServiceConfig) => new ModelFolders(folders))],
})
export class ModelsModule {}
