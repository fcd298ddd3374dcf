import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { DeleteAccount } from '@slipway/contracts';
import { RpcHandler } from '@slipway/platform';
import type { z } from 'zod';
import { AccountDeletion } from './account-deletion.service.js';

@Controller()
export class AccountDeletionHandlers {
  constructor(private readonly deletion: AccountDeletion) {}

  @RpcHandler(DeleteAccount)
  async delete(@Payload() { slug, actor }: z.output<typeof DeleteAccount.request>): Promise<z.input<typeof DeleteAccount.reply>> {
    const { missing, ...deleted } = await this.deletion.delete(slug, actor);
    return { ...deleted, missing: [...missing] };
  }
}
