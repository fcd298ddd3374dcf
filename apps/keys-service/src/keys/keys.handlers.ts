import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { CreateKey, ListKeys } from '@slipway/contracts';
import { RpcHandler } from '@slipway/platform';
import type { z } from 'zod';
import { KeysService } from './keys.service.js';

@Controller()
export class KeysHandlers {
  constructor(private readonly keys: KeysService) {}

  @RpcHandler(CreateKey)
  create(@Payload() { account, name }: z.output<typeof CreateKey.request>): Promise<z.input<typeof CreateKey.reply>> {
    return this.keys.create(account, name);
  }

  @RpcHandler(ListKeys)
  async list(@Payload() { account }: z.output<typeof ListKeys.request>): Promise<z.input<typeof ListKeys.reply>> {
    const keys = await this.keys.list(account);
    return { keys: keys.map(({ id, name, hint, state, createdAt }) => ({ id, name, hint, state, created_at: createdAt.toISOString() })) };
  }
}
