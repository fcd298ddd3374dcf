import { Module } from '@nestjs/common';
import { AccountsModule } from './accounts.module.js';
import { PeopleModule } from './people.module.js';
import { AccountDeletionHandlers } from './account-deletion.handlers.js';
import { AccountDeletion } from './account-deletion.service.js';
import { AccountErasureRepository } from './account-erasure.repository.js';

@Module({
  imports: [AccountsModule, PeopleModule],
  controllers: [AccountDeletionHandlers],
  providers: [AccountDeletion, AccountErasureRepository],
})
export class DeletionModule {}
