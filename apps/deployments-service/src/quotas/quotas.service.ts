import { Inject, Injectable } from '@nestjs/common';
import type { DeploymentCounts } from '@slipway/contracts';
import { AccountTransactions, AuditLog, CountedQuotas, Transactions } from '@slipway/database';
import { QuotasRepository } from './quotas.repository.js';

/** Injection token of the default quotas. */
export const QUOTA_DEFAULTS = Symbol('quota defaults');

/** Checks, shows and sets the quotas of deployments, replicas and aliases. */
@Injectable()
export class QuotasService extends CountedQuotas<keyof DeploymentCounts> {
  constructor(
    transactions: Transactions,
    accounts: AccountTransactions,
    audit: AuditLog,
    tables: QuotasRepository,
    @Inject(QUOTA_DEFAULTS) defaults: DeploymentCounts,
  ) {
    super({
      ...{ transactions, accounts, audit, tables, defaults },
      things: { deployments: 'deployments', replicas: 'replicas', aliases: 'aliases' },
      params: { deployments: 'account', replicas: 'replicas', aliases: 'alias' },
    });
  }
}
