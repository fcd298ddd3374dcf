import { Module } from '@nestjs/common';
import { Transactions } from '@slipway/database';
import { CONFIG, configured } from '@slipway/platform';
import type { DeploymentsServiceConfig } from '../config.js';
import { AccountTransactions } from './account-transactions.js';
import { QuotasHandlers } from './quotas.handlers.js';
import { QuotasRepository } from './quotas.repository.js';
import { QUOTA_DEFAULTS, QuotasService } from './quotas.service.js';

/** How much an account may have, and how often and how much at once it may ask. */
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
        new AccountTransactions(transactions, perMinute),
      inject: [Transactions, CONFIG],
    },
  ],
  exports: [AccountTransactions, QuotasService],
})
export class QuotasModule {}
