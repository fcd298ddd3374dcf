import { Controller, Module } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { ListTuningAudit, ReadTuningAudit } from '@slipway/contracts';
import { AccountAudit } from '@slipway/database';
import { RpcHandler } from '@slipway/platform/service';
import type { z } from 'zod';
import { QuotasModule } from '../quotas/quotas.module.js';

@Controller()
class AuditHandlers {
  constructor(private readonly audit: AccountAudit) {}

  @RpcHandler(ListTuningAudit)
  list(@Payload() { account, ...filters }: z.output<typeof ListTuningAudit.request>): Promise<z.input<typeof ListTuningAudit.reply>> {
    return this.audit.list(account, filters);
  }

  @RpcHandler(ReadTuningAudit)
  chain(@Payload() { after }: z.output<typeof ReadTuningAudit.request>): Promise<z.input<typeof ReadTuningAudit.reply>> {
    return this.audit.chain(after);
  }
}

@Module({ imports: [QuotasModule], controllers: [AuditHandlers], providers: [AccountAudit.provider] })
export class AuditModule {}
