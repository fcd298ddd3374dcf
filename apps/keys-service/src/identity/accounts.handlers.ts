import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { CreateAccount, FindAccount, FindAccountLimits, ListAccounts, SetAccountLimits, SetAccountState } from '@slipway/contracts';
import { RpcHandler } from '@slipway/platform';
import type { z } from 'zod';
import { AccountsService } from './accounts.service.js';

@Controller()
export class AccountsHandlers {
  constructor(private readonly accounts: AccountsService) {}

  @RpcHandler(CreateAccount)
  async create(@Payload() { slug, actor }: z.output<typeof CreateAccount.request>): Promise<z.input<typeof CreateAccount.reply>> {
    const { missing, ...created } = await this.accounts.create(slug, actor);
    return { ...created, missing: [...missing] };
  }

  @RpcHandler(FindAccount)
  async find(@Payload() { slug }: z.output<typeof FindAccount.request>): Promise<z.input<typeof FindAccount.reply>> {
    const { deletedAt, ...name } = await this.accounts.find(slug);
    return { ...name, ...(deletedAt !== null && { deleted_at: deletedAt.toISOString() }) };
  }

  @RpcHandler(FindAccountLimits)
  limits(@Payload() { account }: z.output<typeof FindAccountLimits.request>): Promise<z.input<typeof FindAccountLimits.reply>> {
    return this.accounts.limits(account);
  }

  @RpcHandler(ListAccounts)
  async list(@Payload() { after }: z.output<typeof ListAccounts.request>): Promise<z.input<typeof ListAccounts.reply>> {
    const { items, next } = await this.accounts.list(after);
    return {
      accounts: items.map(({ createdAt, ver: _, quotas: _quotas, deletedAt: _deletedAt, ...account }) => ({
        ...account,
        created_at: createdAt.toISOString(),
      })),
      next,
    };
  }

  @RpcHandler(SetAccountState)
  async setState(
    @Payload() { account, state, actor }: z.output<typeof SetAccountState.request>,
  ): Promise<z.input<typeof SetAccountState.reply>> {
    const changed = await this.accounts.setState(account, state, actor);
    return { ...changed, missing: [...changed.missing] };
  }

  @RpcHandler(SetAccountLimits)
  async setLimits(
    @Payload() { account, limits, actor }: z.output<typeof SetAccountLimits.request>,
  ): Promise<z.input<typeof SetAccountLimits.reply>> {
    const changed = await this.accounts.setLimits(account, limits, actor);
    return { ...changed, missing: [...changed.missing] };
  }
}
