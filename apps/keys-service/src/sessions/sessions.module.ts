import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { PeopleModule } from '../people/people.module.js';
import { AcceptanceService } from './acceptance.service.js';
import { AddressProofs } from './address-proofs.service.js';
import { ExternalSignInService } from './external-sign-in.service.js';
import { KeyProofs } from './key-proofs.service.js';
import { OwnSessionsService } from './own-sessions.service.js';
import { PasswordChangeService } from './password-change.service.js';
import { PasswordResetService } from './password-reset.service.js';
import { ProviderSignIn } from './provider-sign-in.service.js';
import { RefreshService } from './refresh.service.js';
import { SessionEntry } from './session-entry.service.js';
import { SessionIssuing } from './session-issuing.service.js';
import { SessionsHandlers } from './sessions.handlers.js';
import { SignInAttemptsRepository } from './sign-in-attempts.repository.js';
import { SignInHandlers } from './sign-in.handlers.js';
import { SignInService } from './sign-in.service.js';
import { SigningKeysHandlers } from './signing-keys.handlers.js';
import { SigningKeysRepository } from './signing-keys.repository.js';
import { SigningKeys } from './signing-keys.service.js';

@Module({
  imports: [AccountsModule, PeopleModule],
  controllers: [SignInHandlers, SessionsHandlers, SigningKeysHandlers],
  providers: [
    AddressProofs,
    AcceptanceService,
    ExternalSignInService,
    KeyProofs,
    OwnSessionsService,
    PasswordChangeService,
    PasswordResetService,
    ProviderSignIn,
    RefreshService,
    SessionEntry,
    SessionIssuing,
    SignInAttemptsRepository,
    SignInService,
    SigningKeys,
    SigningKeysRepository,
  ],
  exports: [KeyProofs],
})
export class SessionsModule {}
