import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { ListAudit, ReadAudit } from '@slipway/contracts';
import { RpcHandler } from '@slipway/platform';
import type { z } from 'zod';
import { AuditService } from './audit.service.js';

@Controller()
export class AuditHandlers {
  constructor(private readonly audit: AuditService) {}

  @RpcHandler(ListAudit)
  list(@Payload() { account, before, actor }: z.output<typeof ListAudit.request>): Promise<z.input<typeof ListAudit.reply>> {
    return this.audit.list(account, actor, before ?? null);
  }

  @RpcHandler(ReadAudit)
  chain(@Payload() { after }: z.output<typeof ReadAudit.request>): Promise<z.input<typeof ReadAudit.reply>> {
    return this.audit.chain(after);
  }
}
