import { Injectable } from '@nestjs/common';
import type { CreateDeployment, DeploymentId } from '@slipway/contracts';
import { Transactions } from '@slipway/database';
import type { z } from 'zod';
import { DeploymentAnnouncer } from '../feed/deployment-announcer.js';
import { DeploymentDefaults } from './deployment-defaults.js';
import { DeploymentsRepository } from './deployments.repository.js';
import { SettingsComposer } from './revision-settings.js';
import { SourceRules } from './source-rules.js';

@Injectable()
export class DeploymentsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly deployments: DeploymentsRepository,
    private readonly announcer: DeploymentAnnouncer,
    private readonly rules: SourceRules,
    private readonly settings: SettingsComposer,
    private readonly defaults: DeploymentDefaults,
  ) {}

  /** Makes a deployment that is wanted ready. Whether its model exists is found out by the agent that loads it. */
  async create(request: z.output<typeof CreateDeployment.request>): Promise<{ id: DeploymentId }> {
    const { account, name, actor } = request;
    const source = await this.rules.check(request.source);
    const settings = this.settings.first({ ...request, source });
    const replicas = request.replicas ?? this.defaults.replicas(source);
    const id = await this.transactions.run(async (tx) => {
      const made = await this.deployments.insert(tx, { account, name, replicas, settings });
      await this.announcer.record(tx, made.change);
      const deed = { account, actor, action: 'deployment.create', object: `deployment:${made.id}`, objectName: name };
      await this.announcer.writeDown(tx, { ...deed, facts: { source: source.kind, replicas } });
      return made.id;
    });
    this.announcer.committed();
    return { id };
  }
}
