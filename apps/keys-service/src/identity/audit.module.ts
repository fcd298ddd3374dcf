import { Module } from '@nestjs/common';
import { PeopleModule } from './people.module.js';
import { AuditHandlers } from './audit.handlers.js';
import { AuditService } from './audit.service.js';

@Module({ imports: [PeopleModule], controllers: [AuditHandlers], providers: [AuditService] })
export class AuditModule {}
