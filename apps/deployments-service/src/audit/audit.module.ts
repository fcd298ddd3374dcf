import { Module } from '@nestjs/common';
import { QuotasModule } from '../quotas/quotas.module.js';
import { AuditHandlers } from './audit.handlers.js';
import { AuditService } from './audit.service.js';

@Module({ imports: [QuotasModule], controllers: [AuditHandlers], providers: [AuditService] })
export class AuditModule {}
