import { Module } from '@nestjs/common';
import { AccountsModule } from './accounts.module.js';
import { PlaygroundKeysRepository } from './playground-keys.repository.js';
import { SessionEnding } from './session-ending.service.js';
import { SessionsRepository } from './sessions.repository.js';
import { AttemptsRepository } from './attempts.repository.js';
import { Authority } from './authority.service.js';
import { ErasureRepository } from './erasure.repository.js';
import { FailedSignIns } from './failed-sign-ins.service.js';
import { InvitationsHandlers } from './invitations.handlers.js';
import { InvitationsRepository } from './invitations.repository.js';
import { InvitationsService } from './invitations.service.js';
import { JoiningService } from './joining.service.js';
import { MembersHandlers } from './members.handlers.js';
import { MembersService } from './members.service.js';
import { MembershipsRepository } from './memberships.repository.js';
import { PasswordHasher } from './password-hasher.js';
import { PasswordsService } from './passwords.service.js';
import { PeopleDeletion } from './people-deletion.service.js';
import { PeopleHandlers } from './people.handlers.js';
import { PeopleRepository } from './people.repository.js';
import { PeopleService } from './people.service.js';

@Module({
  imports: [AccountsModule],
  controllers: [InvitationsHandlers, MembersHandlers, PeopleHandlers],
  providers: [
    AttemptsRepository,
    Authority,
    ErasureRepository,
    FailedSignIns,
    InvitationsRepository,
    InvitationsService,
    JoiningService,
    MembersService,
    MembershipsRepository,
    { provide: PasswordHasher, useFactory: () => new PasswordHasher() },
    PasswordsService,
    PeopleDeletion,
    PeopleRepository,
    PeopleService,
    // Who leaves an account leaves its sessions in the same transaction, and they their keys.
    PlaygroundKeysRepository,
    SessionEnding,
    SessionsRepository,
  ],
  exports: [
    AttemptsRepository,
    Authority,
    JoiningService,
    MembershipsRepository,
    PasswordsService,
    PeopleRepository,
    PlaygroundKeysRepository,
    SessionEnding,
    SessionsRepository,
  ],
})
export class PeopleModule {}
