import { Module } from '@nestjs/common';
import { AccountsHandlers } from './accounts.handlers.js';
import { AccountsRepository } from './accounts.repository.js';
import { AccountsService } from './accounts.service.js';
import { QuotaUseRepository } from './quota-use.repository.js';
import { QuotasHandlers } from './quotas.handlers.js';
import { Quotas } from './quotas.service.js';

@Module({
  controllers: [AccountsHandlers, QuotasHandlers],
  providers: [AccountsService, AccountsRepository, Quotas, QuotaUseRepository],
  exports: [AccountsRepository, Quotas],
})
export class AccountsModule {}
