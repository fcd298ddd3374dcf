import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { FindDeploymentQuotas, SetDeploymentQuotas } from '@slipway/contracts';
import { RpcHandler } from '@slipway/platform';
import type { z } from 'zod';
import { QuotasService } from './quotas.service.js';

@Controller()
export class QuotasHandlers {
  constructor(private readonly quotas: QuotasService) {}

  @RpcHandler(FindDeploymentQuotas)
  find(@Payload() request: z.output<typeof FindDeploymentQuotas.request>): Promise<z.input<typeof FindDeploymentQuotas.reply>> {
    return this.quotas.find(request);
  }

  @RpcHandler(SetDeploymentQuotas)
  set(@Payload() request: z.output<typeof SetDeploymentQuotas.request>): Promise<z.input<typeof SetDeploymentQuotas.reply>> {
    return this.quotas.set(request);
  }
}
