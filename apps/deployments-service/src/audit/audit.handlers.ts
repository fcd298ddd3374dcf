import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { ListDeploymentAudit, ReadDeploymentAudit } from '@slipway/contracts';
import { RpcHandler } from '@slipway/platform';
import type { z } from 'zod';
import { AuditService } from './audit.service.js';

@Controller()
export class AuditHandlers {
  constructor(private readonly audit: AuditService) {}

  @RpcHandler(ListDeploymentAudit)
  list(@Payload() { account, before }: z.output<typeof ListDeploymentAudit.request>): Promise<z.input<typeof ListDeploymentAudit.reply>> {
    return this.audit.list(account, before ?? null);
  }

  @RpcHandler(ReadDeploymentAudit)
  chain(@Payload() { after }: z.output<typeof ReadDeploymentAudit.request>): Promise<z.input<typeof ReadDeploymentAudit.reply>> {
    return this.audit.chain(after);
  }
}
