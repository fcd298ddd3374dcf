import { Controller, Module } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { ReadLog } from '@slipway/contracts';
import { RpcHandler } from '@slipway/platform/service';
import type { z } from 'zod';
import { DeploymentsModule } from '../deployments/deployments.module.js';
import { PlacementModule } from '../placement/placement.module.js';
import { QuotasModule } from '../quotas/quotas.module.js';
import { EngineLogService } from './engine-log.service.js';

@Controller()
class LogsHandlers {
  constructor(private readonly logs: EngineLogService) {}

  @RpcHandler(ReadLog)
  read(@Payload() request: z.output<typeof ReadLog.request>): Promise<z.input<typeof ReadLog.reply>> {
    return this.logs.read(request);
  }
}

@Module({ imports: [QuotasModule, PlacementModule, DeploymentsModule], controllers: [LogsHandlers], providers: [EngineLogService] })
export class LogsModule {}
