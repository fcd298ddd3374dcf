import { Module } from '@nestjs/common';
import { PlaygroundKeysRepository } from '../playground/playground-keys.repository.js';
import { SessionEnding } from '../sessions/session-ending.service.js';
import { SessionsRepository } from '../sessions/sessions.repository.js';
import { AccountsHandlers } from './accounts.handlers.js';
import { AccountsRepository } from './accounts.repository.js';
import { AccountsService } from './accounts.service.js';
import { QuotaUseRepository } from './quota-use.repository.js';
import { QuotasHandlers } from './quotas.handlers.js';
import { Quotas } from './quotas.service.js';

@Module({
  controllers: [AccountsHandlers, QuotasHandlers],
  providers: [
    AccountsService,
    AccountsRepository,
    Quotas,
    QuotaUseRepository,
    // Who is in an account that is suspended gets other tokens.
    PlaygroundKeysRepository,
    SessionEnding,
    SessionsRepository,
  ],
  exports: [AccountsRepository, Quotas],
})
export class AccountsModule {}
