import { Module } from '@nestjs/common';
import { DeploymentsModule } from '../deployments/deployments.module.js';
import { PlacementModule } from '../placement/placement.module.js';
import { QuotasModule } from '../quotas/quotas.module.js';
import { EngineCredentials } from './engine-credentials.js';
import { EngineTestsRepository } from './engine-tests.repository.js';
import { EngineTestsService } from './engine-tests.service.js';
import { EnginesHandlers } from './engines.handlers.js';

@Module({
  imports: [QuotasModule, PlacementModule, DeploymentsModule],
  controllers: [EnginesHandlers],
  providers: [EngineCredentials, EngineTestsRepository, EngineTestsService],
})
export class EnginesModule {}
