import { type FactoryProvider, Module } from '@nestjs/common';
import { RefusalLog, Transactions } from '@slipway/database';
import { CONFIG, configured, LOG, type Logger, SecretVault, type ServiceConfig } from '@slipway/platform';
import { ProofReader, rpcGate, SessionKeyRing, type SessionLiveness } from '@slipway/proof';
import type { KeysConfig } from '../config.js';
import { KeyFeedChanges } from '../shared/key-feed.repository.js';
import { KeyMint } from '../shared/key-minting.js';
import { AccountDeletion } from './account-deletion.service.js';
import { AccountsHandlers } from './accounts.handlers.js';
import { AccountsRepository } from './accounts.repository.js';
import { AccountsService } from './accounts.service.js';
import { AttemptsRepository, SignInNoncesRepository } from './attempts.repository.js';
import { AuditHandlers } from './audit.handlers.js';
import { Authority } from './authority.service.js';
import { ExternalSignIn } from './external-sign-in.service.js';
import { IdentityProvider } from './identity-provider.js';
import { InvitationRedemption } from './invitation-redemption.service.js';
import { InvitationsRepository } from './invitations.repository.js';
import { InvitationsService } from './invitations.service.js';
import { KeyProofs } from './key-proofs.service.js';
import { MembersService } from './members.service.js';
import { MembershipsRepository } from './memberships.repository.js';
import { OwnSessionsService } from './own-sessions.service.js';
import { HASHING, type PasswordCost, PasswordHasher } from './password-hasher.js';
import { PasswordChange, PasswordReset } from './password-replacement.service.js';
import { PasswordSignIn } from './password-sign-in.service.js';
import { FailedSignIns, PasswordsService } from './passwords.service.js';
import { PeopleHandlers } from './people.handlers.js';
import { PeopleRepository } from './people.repository.js';
import { PeopleService } from './people.service.js';
import { EvaluationKeysHandlers } from './evaluation-keys.handlers.js';
import { EvaluationKeys } from './evaluation-keys.service.js';
import { PlaygroundAdmission, PlaygroundKeys } from './playground.service.js';
import { ConfiguredProvider, ProviderSignIn } from './provider-sign-in.service.js';
import { QuotaDefaults, Quotas } from './quotas.service.js';
import { RefreshService } from './refresh.service.js';
import { SessionRevocation } from './session-revocation.service.js';
import { sessionEnded } from './session-times.js';
import { SessionTokenIssuer } from './session-tokens.service.js';
import { SessionsHandlers } from './sessions.handlers.js';
import { SessionsRepository } from './sessions.repository.js';
import { ShortLivedKeysRepository } from './short-lived-keys.repository.js';
import { SignInCompletion } from './sign-in-completion.service.js';
import { SignInHandlers } from './sign-in.handlers.js';
import { SigningKeysRepository } from './signing-keys.repository.js';
import { publishedKey, PUBLISHED_AFTER_RETIRING_S, SigningKeys } from './signing-keys.service.js';

const quotaDefaults = ({ QUOTA_KEYS: keys, QUOTA_MEMBERS: members, QUOTA_INVITATIONS: invitations }: KeysConfig): QuotaDefaults =>
  new QuotaDefaults({ keys, members, invitations });

const configuredProvider = ({ OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId }: KeysConfig): ConfiguredProvider =>
  new ConfiguredProvider(issuer === undefined || clientId === undefined ? null : new IdentityProvider({ issuer, clientId }));

function ownProofReader({ SLIPWAY_ENV: env }: ServiceConfig, transactions: Transactions, log: Logger): ProofReader {
  const [signingKeys, sessions] = [new SigningKeysRepository(), new SessionsRepository()];
  const published = async (): Promise<ReturnType<typeof publishedKey>[]> => {
    const stored = await transactions.read((connection) => signingKeys.published(connection, PUBLISHED_AFTER_RETIRING_S));
    return stored.map(publishedKey);
  };
  const liveness: SessionLiveness = {
    require: async (id, ver) => {
      const session = await transactions.read((connection) => sessions.find(connection, id));
      if (session?.endedAt !== null || ver < session.ver) throw sessionEnded();
    },
  };
  return new ProofReader({ env, keys: new SessionKeyRing(published, log), sessions: liveness });
}

/**
 * Reads the proofs that this service signed. It reads the session's row for each proof, so a session that any replica ended is over
 * here at once.
 */
const ownProofs: FactoryProvider<ProofReader> = { provide: ProofReader, useFactory: ownProofReader, inject: [CONFIG, Transactions, LOG] };

/** Accounts, people, their sessions and playground keys, and the audit log. */
@Module({
  controllers: [AccountsHandlers, AuditHandlers, EvaluationKeysHandlers, PeopleHandlers, SessionsHandlers, SignInHandlers],
  providers: [
    AccountDeletion,
    AccountsRepository,
    AccountsService,
    AttemptsRepository,
    Authority,
    ExternalSignIn,
    FailedSignIns,
    InvitationRedemption,
    InvitationsRepository,
    InvitationsService,
    KeyFeedChanges,
    KeyProofs,
    MembersService,
    MembershipsRepository,
    OwnSessionsService,
    PasswordChange,
    PasswordReset,
    PasswordSignIn,
    PasswordsService,
    PeopleRepository,
    PeopleService,
    PlaygroundAdmission,
    PlaygroundKeys,
    EvaluationKeys,
    ProviderSignIn,
    Quotas,
    RefreshService,
    SessionRevocation,
    SessionTokenIssuer,
    SessionsRepository,
    ShortLivedKeysRepository,
    SignInCompletion,
    SignInNoncesRepository,
    SigningKeys,
    SigningKeysRepository,
    ownProofs,
    rpcGate(RefusalLog),
    { provide: PasswordHasher, useFactory: (cost: PasswordCost) => new PasswordHasher(cost), inject: [HASHING] },
    configured(KeyMint, ({ KEY_PEPPERS: peppers }: KeysConfig) => new KeyMint(peppers)),
    configured(QuotaDefaults, quotaDefaults),
    configured(ConfiguredProvider, configuredProvider),
    configured(SecretVault, ({ SLIPWAY_SECRET_KEY: keys }: KeysConfig) => new SecretVault(keys)),
  ],
  exports: [AccountsService, Authority, KeyFeedChanges, KeyMint, KeyProofs, Quotas, ShortLivedKeysRepository],
})
export class IdentityModule {}
