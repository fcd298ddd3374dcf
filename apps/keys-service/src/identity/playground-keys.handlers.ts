import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { KeepPlayground, OpenPlayground } from '@slipway/contracts';
import { RpcHandler } from '@slipway/platform';
import type { z } from 'zod';
import { PlaygroundKeys } from './playground-keys.service.js';

@Controller()
export class PlaygroundKeysHandlers {
  constructor(private readonly keys: PlaygroundKeys) {}

  @RpcHandler(KeepPlayground)
  async keep(@Payload() { value }: z.output<typeof KeepPlayground.request>): Promise<z.input<typeof KeepPlayground.reply>> {
    return { expires_at: (await this.keys.keep(value)).toISOString() };
  }

  @RpcHandler(OpenPlayground)
  async open(@Payload() wish: z.output<typeof OpenPlayground.request>): Promise<z.input<typeof OpenPlayground.reply>> {
    const { key, value } = await this.keys.open(wish);
    if (key.expiresAt === null) throw new Error('A key of the playground has no end.');
    return { key: key.id, value, expires_at: key.expiresAt.toISOString() };
  }
}
