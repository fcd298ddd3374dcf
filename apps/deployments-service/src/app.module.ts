import { type DynamicModule, Module } from '@nestjs/common';
import type { DeploymentCounts } from '@slipway/contracts';
import { Transactions } from '@slipway/database';
import { type Logger, RpcClient } from '@slipway/platform';
import { AccountTransactions } from './account-transactions.js';
import { AgentSealers } from './agents/agent-sealers.js';
import { AgentTable } from './agents/agent-table.js';
import { AliasesHandlers } from './aliases/aliases.handlers.js';
import { AliasesRepository } from './aliases/aliases.repository.js';
import { AliasesService } from './aliases/aliases.service.js';
import { AuditHandlers } from './audit/audit.handlers.js';
import { AuditService } from './audit/audit.service.js';
import { CredentialVault } from './deployments/credential-vault.js';
import { DeploymentCommandsService } from './deployments/deployment-commands.service.js';
import { DeploymentDefaults } from './deployments/deployment-defaults.js';
import { DeploymentUpdatesService } from './deployments/deployment-updates.service.js';
import { DeploymentViewsService } from './deployments/deployment-views.service.js';
import { DeploymentsHandlers } from './deployments/deployments.handlers.js';
import { DeploymentsRepository } from './deployments/deployments.repository.js';
import { DeploymentsService } from './deployments/deployments.service.js';
import { SettingsComposer } from './deployments/revision-settings.js';
import { RevisionsRepository } from './deployments/revisions.repository.js';
import { SettingBounds } from './deployments/setting-bounds.js';
import { SourceRules } from './deployments/source-rules.js';
import { EngineCredentials } from './engines/engine-credentials.js';
import { EngineTestsRepository } from './engines/engine-tests.repository.js';
import { EngineTestsService } from './engines/engine-tests.service.js';
import { EnginesHandlers } from './engines/engines.handlers.js';
import { DeploymentAnnouncer } from './feed/deployment-announcer.js';
import { LOG } from './log-token.js';
import { EngineLogService } from './logs/engine-log.service.js';
import { LogsHandlers } from './logs/logs.handlers.js';
import { ModelCatalogService } from './models/model-catalog.service.js';
import { ModelFolders } from './models/model-folders.js';
import { ModelsHandlers } from './models/models.handlers.js';
import { QuotasHandlers } from './quotas/quotas.handlers.js';
import { QuotasRepository } from './quotas/quotas.repository.js';
import { QUOTA_DEFAULTS, QuotasService } from './quotas/quotas.service.js';

/** What the RPC doors and services stand on; made by the process, which also starts and stops it. */
export interface Foundations {
  readonly transactions: Transactions;
  readonly announcer: DeploymentAnnouncer;
  readonly agents: AgentTable;
  readonly rules: SourceRules;
  readonly settings: SettingsComposer;
  readonly vault: CredentialVault;
  readonly sealers: AgentSealers;
  readonly defaults: DeploymentDefaults;
  readonly bounds: SettingBounds;
  readonly quotas: DeploymentCounts;
  /** Of one account. */
  readonly changesPerMinute: number;
  readonly folders: ModelFolders;
  readonly rpc: RpcClient;
  readonly log: Logger;
}

/** The RPC side of deployments-service. */
@Module({})
export class AppModule {
  static on(foundations: Foundations): DynamicModule {
    return {
      module: AppModule,
      controllers: [DeploymentsHandlers, AliasesHandlers, ModelsHandlers, EnginesHandlers, LogsHandlers, AuditHandlers, QuotasHandlers],
      providers: [
        { provide: Transactions, useValue: foundations.transactions },
        { provide: AccountTransactions, useValue: new AccountTransactions(foundations.transactions, foundations.changesPerMinute) },
        { provide: DeploymentAnnouncer, useValue: foundations.announcer },
        { provide: AgentTable, useValue: foundations.agents },
        { provide: SourceRules, useValue: foundations.rules },
        { provide: SettingsComposer, useValue: foundations.settings },
        { provide: CredentialVault, useValue: foundations.vault },
        { provide: AgentSealers, useValue: foundations.sealers },
        { provide: DeploymentDefaults, useValue: foundations.defaults },
        { provide: SettingBounds, useValue: foundations.bounds },
        { provide: QUOTA_DEFAULTS, useValue: foundations.quotas },
        { provide: ModelFolders, useValue: foundations.folders },
        { provide: RpcClient, useValue: foundations.rpc },
        { provide: LOG, useValue: foundations.log },
        DeploymentsRepository,
        RevisionsRepository,
        DeploymentsService,
        DeploymentCommandsService,
        DeploymentUpdatesService,
        DeploymentViewsService,
        AliasesRepository,
        AliasesService,
        ModelCatalogService,
        EngineCredentials,
        EngineTestsRepository,
        EngineTestsService,
        EngineLogService,
        AuditService,
        QuotasRepository,
        QuotasService,
      ],
    };
  }
}
