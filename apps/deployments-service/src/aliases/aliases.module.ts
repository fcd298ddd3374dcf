import { Module } from '@nestjs/common';
import { PlacementModule } from '../placement/placement.module.js';
import { QuotasModule } from '../quotas/quotas.module.js';
import { AliasesHandlers } from './aliases.handlers.js';
import { AliasesRepository } from './aliases.repository.js';
import { AliasesService } from './aliases.service.js';

@Module({
  imports: [QuotasModule, PlacementModule],
  controllers: [AliasesHandlers],
  providers: [AliasesRepository, AliasesService],
  exports: [AliasesRepository],
})
export class AliasesModule {}
