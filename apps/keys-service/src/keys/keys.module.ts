import { Module } from '@nestjs/common';
import { configured } from '@slipway/platform';
import { AccountsModule } from '../identity/accounts.module.js';
import type { KeysConfig } from '../config.js';
import { PeopleModule } from '../identity/people.module.js';
import { SessionsModule } from '../identity/sessions.module.js';
import { UsageModule } from '../usage/usage.module.js';
import { KeyChanges } from './key-changes.service.js';
import { KeyMint } from '../shared/key-minting.js';
import { KeysHandlers } from './keys.handlers.js';
import { KeysRepository } from './keys.repository.js';
import { KeysService } from './keys.service.js';
import { McpKeyOpeningRepository } from './mcp-key-opening.repository.js';
import { McpKeyOpening } from './mcp-key-opening.service.js';
import { McpKeysHandlers } from './mcp-keys.handlers.js';
import { McpKeysService } from './mcp-keys.service.js';
import { McpUseRepository } from './mcp-use.repository.js';

@Module({
  imports: [AccountsModule, PeopleModule, SessionsModule, UsageModule],
  controllers: [KeysHandlers, McpKeysHandlers],
  providers: [
    KeysService,
    McpKeysService,
    KeyChanges,
    KeysRepository,
    McpKeyOpening,
    McpKeyOpeningRepository,
    McpUseRepository,
    configured(KeyMint, ({ KEY_PEPPERS: peppers }: KeysConfig) => new KeyMint(peppers)),
  ],
  exports: [KeyMint],
})
export class KeysModule {}
