import { Controller, Module } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { FindAccountLimits } from '@slipway/contracts';
import { configured, readWorkerSigning, type ServiceConfig, WorkerSigning } from '@slipway/platform';
import { RpcHandler } from '@slipway/platform/service';
import type { z } from 'zod';
import { AccountsService } from '../identity/accounts.service.js';
import { IdentityModule } from '../identity/identity.module.js';
import { UsageQueries } from '../usage/queries.service.js';
import { UsageModule } from '../usage/usage.module.js';
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

/** Limits of accounts beside their use, which stand in two folders of the service. */
@Controller()
class AccountLimitsHandlers {
  constructor(
    private readonly accounts: AccountsService,
    private readonly usage: UsageQueries,
  ) {}

  @RpcHandler(FindAccountLimits)
  async find(@Payload() { account }: z.output<typeof FindAccountLimits.request>): Promise<z.input<typeof FindAccountLimits.reply>> {
    const limits = await this.accounts.limits(account);
    const { accounts } = await this.usage.budgets({ keys: [], accounts: [account], requests: [] });
    const [{ day, month } = { day: 0, month: 0 }] = accounts;
    return { limits, used: { tokens_per_day: day, tokens_per_month: month } };
  }
}

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
