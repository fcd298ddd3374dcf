import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { FindAccountLimits } from '@slipway/contracts';
import { RpcHandler } from '@slipway/platform/service';
import type { z } from 'zod';
import { AccountsService } from '../identity/accounts.service.js';
import { UsageQueries } from '../usage/queries.service.js';

/** Limits of accounts beside their use, which stand in two folders of the service. */
@Controller()
export class AccountLimitsHandlers {
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
