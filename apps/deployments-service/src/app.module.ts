import { type DynamicModule, Module } from '@nestjs/common';
import { Transactions } from '@slipway/database';
import { AgentTable } from './agents/agent-table.js';
import { AliasesHandlers } from './aliases/aliases.handlers.js';
import { AliasesRepository } from './aliases/aliases.repository.js';
import { AliasesService } from './aliases/aliases.service.js';
import { CredentialVault } from './deployments/credential-vault.js';
import { DeploymentCommandsService } from './deployments/deployment-commands.service.js';
import { DeploymentDefaults } from './deployments/deployment-defaults.js';
import { DeploymentViewsService } from './deployments/deployment-views.service.js';
import { DeploymentsHandlers } from './deployments/deployments.handlers.js';
import { DeploymentsRepository } from './deployments/deployments.repository.js';
import { DeploymentsService } from './deployments/deployments.service.js';
import { SourceRules } from './deployments/source-rules.js';
import { DeploymentAnnouncer } from './feed/deployment-announcer.js';

/** What the RPC doors and services stand on; made by the process, which also starts and stops it. */
export interface Foundations {
  readonly transactions: Transactions;
  readonly announcer: DeploymentAnnouncer;
  readonly agents: AgentTable;
  readonly rules: SourceRules;
  readonly vault: CredentialVault;
  readonly defaults: DeploymentDefaults;
}

/** The RPC side of deployments-service. */
@Module({})
export class AppModule {
  static on(foundations: Foundations): DynamicModule {
    return {
      module: AppModule,
      controllers: [DeploymentsHandlers, AliasesHandlers],
      providers: [
        { provide: Transactions, useValue: foundations.transactions },
        { provide: DeploymentAnnouncer, useValue: foundations.announcer },
        { provide: AgentTable, useValue: foundations.agents },
        { provide: SourceRules, useValue: foundations.rules },
        { provide: CredentialVault, useValue: foundations.vault },
        { provide: DeploymentDefaults, useValue: foundations.defaults },
        DeploymentsRepository,
        DeploymentsService,
        DeploymentCommandsService,
        DeploymentViewsService,
        AliasesRepository,
        AliasesService,
      ],
    };
  }
}
