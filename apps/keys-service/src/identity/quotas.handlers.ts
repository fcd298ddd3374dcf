import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { FindAccountQuotas, SetAccountQuotas } from '@slipway/contracts';
import { RpcHandler } from '@slipway/platform';
import type { z } from 'zod';
import { Quotas } from './quotas.service.js';

@Controller()
export class QuotasHandlers {
  constructor(private readonly quotas: Quotas) {}

  @RpcHandler(FindAccountQuotas)
  find(@Payload() { account }: z.output<typeof FindAccountQuotas.request>): Promise<z.input<typeof FindAccountQuotas.reply>> {
    return this.quotas.find(account);
  }

  @RpcHandler(SetAccountQuotas)
  async set(
    @Payload() { account, quotas, actor }: z.output<typeof SetAccountQuotas.request>,
  ): Promise<z.input<typeof SetAccountQuotas.reply>> {
    const changed = await this.quotas.set(account, quotas, actor);
    return { ...changed, missing: [...changed.missing] };
  }
}
