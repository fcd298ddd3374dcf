import { Controller, Module } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { ListDeploymentAudit, ReadDeploymentAudit } from '@slipway/contracts';
import { AccountAudit } from '@slipway/database';
import { RpcHandler } from '@slipway/platform/service';
import type { z } from 'zod';
import { QuotasModule } from '../quotas/quotas.module.js';

@Controller()
class AuditHandlers {
  constructor(private readonly audit: AccountAudit) {}

  @RpcHandler(ListDeploymentAudit)
  list(
    @Payload() { account, ...filters }: z.output<typeof ListDeploymentAudit.request>,
  ): Promise<z.input<typeof ListDeploymentAudit.reply>> {
    return this.audit.list(account, filters);
  }

  @RpcHandler(ReadDeploymentAudit)
  chain(@Payload() { after }: z.output<typeof ReadDeploymentAudit.request>): Promise<z.input<typeof ReadDeploymentAudit.reply>> {
    return this.audit.chain(after);
  }
}

@Module({ imports: [QuotasModule], controllers: [AuditHandlers], providers: [AccountAudit.provider] })
export class AuditModule {}
