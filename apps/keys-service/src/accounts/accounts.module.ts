import { Module } from '@nestjs/common';
import { AccountsHandlers } from './accounts.handlers.js';
import { AccountsRepository } from './accounts.repository.js';
import { AccountsService } from './accounts.service.js';

@Module({ controllers: [AccountsHandlers], providers: [AccountsService, AccountsRepository], exports: [AccountsRepository] })
export class AccountsModule {}
