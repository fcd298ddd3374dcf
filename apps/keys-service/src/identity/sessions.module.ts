import { Module } from '@nestjs/common';
import { RefusalLog } from '@slipway/database';
import { configured, SecretVault, type ServiceConfig } from '@slipway/platform';
import { rpcGate } from '@slipway/proof';
import { AccountsModule } from './accounts.module.js';
import type { KeysConfig } from '../config.js';
import { PeopleModule } from './people.module.js';
import { AcceptanceService } from './acceptance.service.js';
import { AddressProofs } from './address-proofs.service.js';
import { ExternalSignInService } from './external-sign-in.service.js';
import { KeyProofs } from './key-proofs.service.js';
import { IdentityProvider } from './identity-provider.js';
import { ownProofs } from './own-proofs.js';
import { OwnSessionsService } from './own-sessions.service.js';
import { PasswordChangeService } from './password-change.service.js';
import { PasswordResetService } from './password-reset.service.js';
import { KnownProvider, ProviderSignIn } from './provider-sign-in.service.js';
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
import { TokenScope } from './token-scope.js';

function providerOf({ OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId }: KeysConfig): KnownProvider {
  return new KnownProvider(issuer === undefined || clientId === undefined ? null : new IdentityProvider({ issuer, clientId }));
}

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
    configured(TokenScope, ({ SLIPWAY_ENV: env }: ServiceConfig) => new TokenScope(env)),
    configured(SecretVault, ({ SLIPWAY_SECRET_KEY: keys }: KeysConfig) => new SecretVault(keys)),
    configured(KnownProvider, providerOf),
    ownProofs,
    rpcGate(RefusalLog),
  ],
  exports: [KeyProofs],
})
export class SessionsModule {}
