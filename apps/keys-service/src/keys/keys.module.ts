import { Module } from '@nestjs/common';
import { configured, readWorkerSigning, type ServiceConfig, WorkerSigning } from '@slipway/platform';
import { IdentityModule } from '../identity/identity.module.js';
import { UsageModule } from '../usage/usage.module.js';
import { AccountLimitsHandlers } from './account-limits.handlers.js';
import { KeyChanges } from './key-changes.service.js';
import { KeysHandlers, McpKeysHandlers } from './keys.handlers.js';
import { KeysRepository } from './keys.repository.js';
import { KeysService } from './keys.service.js';
import { McpCallsRepository } from './mcp-calls.repository.js';
import { McpCallsService } from './mcp-calls.service.js';
import { McpKeysService } from './mcp-keys.service.js';
import { WorkerNamesHandlers } from './worker-names.handlers.js';
import { WorkerNamesRepository } from './worker-names.repository.js';
import { WorkerNames } from './worker-names.service.js';

/** Credentials of programs: deployment keys, MCP keys and the NATS users of workers. */
@Module({
  imports: [IdentityModule, UsageModule],
  controllers: [AccountLimitsHandlers, KeysHandlers, McpKeysHandlers, WorkerNamesHandlers],
  providers: [
    KeyChanges,
    KeysRepository,
    KeysService,
    McpCallsRepository,
    McpCallsService,
    McpKeysService,
    WorkerNames,
    WorkerNamesRepository,
    configured(WorkerSigning, ({ NATS_CREDENTIALS_DIR: folder }: ServiceConfig) => readWorkerSigning(folder)),
  ],
})
export class KeysModule {}
