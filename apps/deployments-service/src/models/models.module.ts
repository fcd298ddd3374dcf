import { Module } from '@nestjs/common';
import { configured } from '@slipway/platform';
import type { DeploymentsServiceConfig } from '../config.js';
import { DeploymentsModule } from '../deployments/deployments.module.js';
import { PlacementModule } from '../placement/placement.module.js';
import { QuotasModule } from '../quotas/quotas.module.js';
import { ModelCatalogService } from './model-catalog.service.js';
import { ModelFolders } from './model-folders.js';
import { ModelsHandlers } from './models.handlers.js';

@Module({
  imports: [QuotasModule, PlacementModule, DeploymentsModule],
  controllers: [ModelsHandlers],
  providers: [ModelCatalogService, configured(ModelFolders, ({ MODEL_DIRS: folders }: DeploymentsServiceConfig) => new ModelFolders(folders))],
})
export class ModelsModule {}
