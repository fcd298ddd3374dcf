import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { ListModels } from '@slipway/contracts';
import { RpcHandler } from '@slipway/platform';
import type { z } from 'zod';
import { ModelCatalogService } from './model-catalog.service.js';

@Controller()
export class ModelsHandlers {
  constructor(private readonly models: ModelCatalogService) {}

  @RpcHandler(ListModels)
  list(@Payload() request: z.output<typeof ListModels.request>): Promise<z.input<typeof ListModels.reply>> {
    return this.models.list(request);
  }
}
