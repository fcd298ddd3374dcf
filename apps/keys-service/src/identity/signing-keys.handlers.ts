import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { ListSessionKeys, RotateSessionKey } from '@slipway/contracts';
import { RpcHandler } from '@slipway/platform';
import type { z } from 'zod';
import { publishedKey, SigningKeys } from './signing-keys.service.js';

@Controller()
export class SigningKeysHandlers {
  constructor(private readonly keys: SigningKeys) {}

  @RpcHandler(ListSessionKeys)
  async list(): Promise<z.input<typeof ListSessionKeys.reply>> {
    const published = await this.keys.published();
    return { keys: published.map(publishedKey) };
  }

  @RpcHandler(RotateSessionKey)
  async rotate(
    @Payload() { revoke_old: revokeOld = false, actor }: z.output<typeof RotateSessionKey.request>,
  ): Promise<z.input<typeof RotateSessionKey.reply>> {
    return { kid: await this.keys.rotate(actor, revokeOld) };
  }
}
