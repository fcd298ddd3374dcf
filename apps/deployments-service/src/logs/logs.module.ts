import { Module } from '@nestjs/common';
import { DeploymentsModule } from '../deployments/deployments.module.js';
import { PlacementModule } from '../placement/placement.module.js';
import { QuotasModule } from '../quotas/quotas.module.js';
import { EngineLogService } from './engine-log.service.js';
import { LogsHandlers } from './logs.handlers.js';

@Module({ imports: [QuotasModule, PlacementModule, DeploymentsModule], controllers: [LogsHandlers], providers: [EngineLogService] })
export class LogsModule {}
