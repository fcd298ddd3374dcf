import { Module } from '@nestjs/common';
import { configured } from '@slipway/platform';
import type { KeysConfig } from '../config.js';
import { PlaygroundKeysRepository } from './playground-keys.repository.js';
import { SessionEnding } from './session-ending.service.js';
import { SessionsRepository } from './sessions.repository.js';
import { AccountsHandlers } from './accounts.handlers.js';
import { AccountsRepository } from './accounts.repository.js';
import { AccountsService } from './accounts.service.js';
import { QuotaUseRepository } from './quota-use.repository.js';
import { QuotasHandlers } from './quotas.handlers.js';
import { QuotaDefaults, Quotas } from './quotas.service.js';

@Module({
  controllers: [AccountsHandlers, QuotasHandlers],
  providers: [
    AccountsService,
    AccountsRepository,
    Quotas,
    QuotaUseRepository,
    configured(
      QuotaDefaults,
      ({ QUOTA_KEYS: keys, QUOTA_MEMBERS: members, QUOTA_INVITATIONS: invitations }: KeysConfig) =>
        new QuotaDefaults({ keys, members, invitations }),
    ),
    // Who is in an account that is suspended gets other tokens.
    PlaygroundKeysRepository,
    SessionEnding,
    SessionsRepository,
  ],
  exports: [AccountsRepository, Quotas],
})
export class AccountsModule {}
