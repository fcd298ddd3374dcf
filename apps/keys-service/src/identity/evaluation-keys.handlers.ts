import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { OpenEvaluationKey } from '@slipway/contracts';
import { RpcHandler } from '@slipway/platform/service';
import type { z } from 'zod';
import { EvaluationKeys } from './evaluation-keys.service.js';

/** The keys of evaluations. */
@Controller()
export class EvaluationKeysHandlers {
  constructor(private readonly keys: EvaluationKeys) {}

  @RpcHandler(OpenEvaluationKey)
  async open(
    @Payload() { account, value: held, actor }: z.output<typeof OpenEvaluationKey.request>,
  ): Promise<z.input<typeof OpenEvaluationKey.reply>> {
    const { key, value } = await this.keys.open(account, held, actor);
    if (key.expiresAt === null) throw new Error('An evaluation key has no expiry.');
    return { key: key.id, value, expires_at: key.expiresAt.toISOString() };
  }
}
