import { type DynamicModule, Global, Module } from '@nestjs/common';
import { AuditLog, RefusalLog, Transactions } from '@slipway/database';
import { type Logger, SecretVault, StreamClaims, WorkerSigning } from '@slipway/platform';
import { AccountsModule } from './accounts/accounts.module.js';
import { QuotaDefaults } from './accounts/quotas.service.js';
import { AuditModule } from './audit/audit.module.js';
import { DeletionModule } from './deletion/deletion.module.js';
import { KeyFeedPublisher } from './feed/key-feed-publisher.js';
import { KeyMint } from './keys/key-minting.js';
import { KeysModule } from './keys/keys.module.js';
import { LOG } from './log-token.js';
import { PasswordHasher } from './people/password-hasher.js';
import { PeopleModule } from './people/people.module.js';
import { PlaygroundModule } from './playground/playground.module.js';
import { SessionFeedPublisher } from './sessions/session-feed-publisher.js';
import { KnownProvider } from './sessions/provider-sign-in.service.js';
import { SessionsModule } from './sessions/sessions.module.js';
import { TokenScope } from './sessions/token-scope.js';
import { WorkersModule } from './workers/workers.module.js';
import { UsageModule } from './usage/usage.module.js';

/** What the process owns and the modules use. */
export interface KeysRuntime {
  readonly log: Logger;
  readonly transactions: Transactions;
  readonly feed: KeyFeedPublisher;
  readonly mint: KeyMint;
  readonly sessionFeed: SessionFeedPublisher;
  /** Seals the keys that sign session tokens. */
  readonly vault: SecretVault;
  readonly scope: TokenScope;
  readonly provider: KnownProvider;
  readonly signing: WorkerSigning;
  readonly quotas: QuotaDefaults;
  /** Checks which streams gateways opened. */
  readonly claims: StreamClaims;
  readonly refusals: RefusalLog;
}

@Global()
@Module({})
class RuntimeModule {}

@Module({})
export class AppModule {
  static with({
    log,
    transactions,
    feed,
    mint,
    sessionFeed,
    vault,
    scope,
    signing,
    quotas,
    claims,
    provider,
    refusals,
  }: KeysRuntime): DynamicModule {
    const providers = [
      { provide: LOG, useValue: log },
      { provide: Transactions, useValue: transactions },
      { provide: KeyFeedPublisher, useValue: feed },
      { provide: KeyMint, useValue: mint },
      { provide: SessionFeedPublisher, useValue: sessionFeed },
      { provide: SecretVault, useValue: vault },
      { provide: TokenScope, useValue: scope },
      { provide: KnownProvider, useValue: provider },
      { provide: WorkerSigning, useValue: signing },
      { provide: QuotaDefaults, useValue: quotas },
      { provide: StreamClaims, useValue: claims },
      { provide: RefusalLog, useValue: refusals },
      { provide: AuditLog, useValue: new AuditLog() },
      { provide: PasswordHasher, useValue: new PasswordHasher() },
    ];
    const runtime = { module: RuntimeModule, providers, exports: providers };
    const modules = [
      DeletionModule,
      AccountsModule,
      KeysModule,
      PeopleModule,
      SessionsModule,
      PlaygroundModule,
      AuditModule,
      UsageModule,
      WorkersModule,
    ];
    return { module: AppModule, imports: [runtime, ...modules] };
  }
}
