import { Controller, Module } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { FindDeploymentQuotas, SetDeploymentQuotas } from '@slipway/contracts';
import { AccountTransactions, Transactions } from '@slipway/database';
import { CONFIG, configured } from '@slipway/platform';
import { RpcHandler } from '@slipway/platform/service';
import type { z } from 'zod';
import type { DeploymentsServiceConfig } from '../config.js';
import { QuotasRepository } from './quotas.repository.js';
import { QUOTA_DEFAULTS, QuotasService } from './quotas.service.js';

@Controller()
class QuotasHandlers {
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

/** Quotas of accounts, and the bounds on their database work. */
@Module({
  controllers: [QuotasHandlers],
  providers: [
    QuotasRepository,
    QuotasService,
    configured(
      QUOTA_DEFAULTS,
      ({ QUOTA_DEPLOYMENTS: deployments, QUOTA_REPLICAS: replicas, QUOTA_ALIASES: aliases }: DeploymentsServiceConfig) => ({
        deployments,
        replicas,
        aliases,
      }),
    ),
    {
      provide: AccountTransactions,
      useFactory: (transactions: Transactions, { CHANGES_PER_MINUTE: perMinute }: DeploymentsServiceConfig) =>
        new AccountTransactions({ transactions, changesPerMinute: perMinute, what: 'deployments and aliases' }),
      inject: [Transactions, CONFIG],
    },
  ],
  exports: [AccountTransactions, QuotasService],
})
export class QuotasModule {}
