import { Controller, Module } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { ListAliases, PointAlias, RemoveAlias } from '@slipway/contracts';
import { RpcHandler } from '@slipway/platform/service';
import type { z } from 'zod';
import { PlacementModule } from '../placement/placement.module.js';
import { QuotasModule } from '../quotas/quotas.module.js';
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
  providers: [AliasesRepository, AliasesService],
  exports: [AliasesRepository],
})
export class AliasesModule {}
