import { Injectable } from '@nestjs/common';
import type { AccountId, DeploymentView } from '@slipway/contracts';
import { Transactions } from '@slipway/database';
import { AgentTable } from '../agents/agent-table.js';
import { AliasesRepository } from '../aliases/aliases.repository.js';
import { DeploymentsRepository, type StoredDeployment } from './deployments.repository.js';

/** Deployments as their owners see them. */
@Injectable()
export class DeploymentViewsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly deployments: DeploymentsRepository,
    private readonly aliases: AliasesRepository,
    private readonly agents: AgentTable,
  ) {}

  async list({ account }: { account: AccountId }): Promise<{ deployments: DeploymentView[] }> {
    const [stored, aliases] = await this.transactions.read((connection) =>
      Promise.all([this.deployments.list(connection, account), this.aliases.byDeployment(connection, account)]),
    );
    return { deployments: stored.map((deployment) => this.#view(deployment, aliases.get(deployment.id) ?? [])) };
  }

  #view({ readyReplicas, ...deployment }: StoredDeployment, aliases: DeploymentView['aliases']): DeploymentView {
    // Every replica of the service hears all heartbeats, so progress needs no place in the database.
    const progress = this.agents.progressOf(deployment.id, deployment.rev);
    const loads = deployment.state === 'loading' || deployment.state === 'degraded';
    return { ...deployment, aliases, progress: loads ? progress : null, ready_replicas: readyReplicas };
  }
}
