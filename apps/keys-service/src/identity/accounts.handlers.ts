import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  CreateAccount,
  DeleteAccount,
  FindAccount,
  FindAccountQuotas,
  ListAccounts,
  SetAccountLimits,
  SetAccountQuotas,
  SetAccountState,
} from '@slipway/contracts';
import { RpcHandler } from '@slipway/platform/service';
import type { z } from 'zod';
import { AccountDeletion } from './account-deletion.service.js';
import { AccountsService } from './accounts.service.js';
import { Quotas } from './quotas.service.js';

@Controller()
export class AccountsHandlers {
  constructor(
    private readonly accounts: AccountsService,
    private readonly quotas: Quotas,
    private readonly deletion: AccountDeletion,
  ) {}

  @RpcHandler(CreateAccount)
  create(@Payload() { slug, actor }: z.output<typeof CreateAccount.request>): Promise<z.input<typeof CreateAccount.reply>> {
    return this.accounts.create(slug, actor);
  }

  @RpcHandler(FindAccount)
  async find(@Payload() { slug }: z.output<typeof FindAccount.request>): Promise<z.input<typeof FindAccount.reply>> {
    const { id, deletedAt } = await this.accounts.find(slug);
    return { id, slug, ...(deletedAt !== null && { deleted_at: deletedAt.toISOString() }) };
  }

  @RpcHandler(ListAccounts)
  async list(@Payload() { after }: z.output<typeof ListAccounts.request>): Promise<z.input<typeof ListAccounts.reply>> {
    const { items, next } = await this.accounts.list(after);
    return {
      accounts: items.map(({ id, slug, state, limits, createdAt }) => ({ id, slug, state, limits, created_at: createdAt.toISOString() })),
      next,
    };
  }

  @RpcHandler(SetAccountState)
  setState(@Payload() { account, state, actor }: z.output<typeof SetAccountState.request>): Promise<z.input<typeof SetAccountState.reply>> {
    return this.accounts.setState(account, state, actor);
  }

  @RpcHandler(SetAccountLimits)
  setLimits(
    @Payload() { account, limits, actor }: z.output<typeof SetAccountLimits.request>,
  ): Promise<z.input<typeof SetAccountLimits.reply>> {
    return this.accounts.setLimits(account, limits, actor);
  }

  @RpcHandler(FindAccountQuotas)
  findQuotas(@Payload() { account }: z.output<typeof FindAccountQuotas.request>): Promise<z.input<typeof FindAccountQuotas.reply>> {
    return this.quotas.find(account);
  }

  @RpcHandler(SetAccountQuotas)
  setQuotas(
    @Payload() { account, quotas, actor }: z.output<typeof SetAccountQuotas.request>,
  ): Promise<z.input<typeof SetAccountQuotas.reply>> {
    return this.quotas.set(account, quotas, actor);
  }

  @RpcHandler(DeleteAccount)
  delete(@Payload() { slug, actor }: z.output<typeof DeleteAccount.request>): Promise<z.input<typeof DeleteAccount.reply>> {
    return this.deletion.delete(slug, actor);
  }
}
