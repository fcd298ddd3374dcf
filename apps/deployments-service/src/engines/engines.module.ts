import { Controller, Module } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { TestEngine } from '@slipway/contracts';
import { RpcHandler } from '@slipway/platform/service';
import type { z } from 'zod';
import { DeploymentsModule } from '../deployments/deployments.module.js';
import { PlacementModule } from '../placement/placement.module.js';
import { QuotasModule } from '../quotas/quotas.module.js';
import { EngineCredentials } from './engine-credentials.js';
import { EngineTestsRepository } from './engine-tests.repository.js';
import { EngineTestsService } from './engine-tests.service.js';

@Controller()
class EnginesHandlers {
  constructor(private readonly tests: EngineTestsService) {}

  @RpcHandler(TestEngine)
  test(@Payload() request: z.output<typeof TestEngine.request>): Promise<z.input<typeof TestEngine.reply>> {
    return this.tests.test(request);
  }
}

@Module({
  imports: [QuotasModule, PlacementModule, DeploymentsModule],
  controllers: [EnginesHandlers],
  providers: [EngineCredentials, EngineTestsRepository, EngineTestsService],
})
export class EnginesModule {}
