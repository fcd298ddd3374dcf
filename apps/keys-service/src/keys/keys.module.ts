import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { KeysHandlers } from './keys.handlers.js';
import { KeysRepository } from './keys.repository.js';
import { KeysService } from './keys.service.js';

@Module({ imports: [AccountsModule], controllers: [KeysHandlers], providers: [KeysService, KeysRepository] })
export class KeysModule {}
