import { Injectable } from '@nestjs/common';
import type { Actor, CreateDeployment, DeploymentId } from '@slipway/contracts';
import type { Tx } from '@slipway/database';
import type { z } from 'zod';
import { AccountTransactions } from '../quotas/account-transactions.js';
import { DeploymentAnnouncer } from '../placement/deployment-announcer.js';
import { QuotasService } from '../quotas/quotas.service.js';
import { DeploymentDefaults } from './deployment-defaults.js';
import { DeploymentsRepository, type NewDeployment } from './deployments.repository.js';
import { SettingsComposer } from './revision-settings.js';
import { SettingBounds } from './setting-bounds.js';
import { SourceRules } from './source-rules.js';

@Injectable()
export class DeploymentsService {
  // oxlint-disable-next-line slipway/max-params -- a deployment is checked, counted, stored and announced, each by a part of its own
  constructor(
    private readonly transactions: AccountTransactions,
    private readonly deployments: DeploymentsRepository,
    private readonly announcer: DeploymentAnnouncer,
    private readonly rules: SourceRules,
    private readonly settings: SettingsComposer,
    private readonly defaults: DeploymentDefaults,
    private readonly bounds: SettingBounds,
    private readonly quotas: QuotasService,
  ) {}

  /** Makes a deployment that is wanted ready. Whether its model exists is found out by the agent that loads it. */
  async create(request: z.output<typeof CreateDeployment.request>): Promise<{ id: DeploymentId }> {
    const { account, name, actor, idempotency_key: key } = request;
    const source = await this.rules.check(request.source);
    const settings = this.settings.first({ ...request, source });
    const replicas = request.replicas ?? this.defaults.replicas(source);
    this.bounds.checkReplicas(replicas);
    const wanted = { account, name, replicas, settings };
    const id = await this.transactions.run(request, async (tx) => {
      if (key === undefined) return this.#insert(tx, wanted, actor);
      const made = await this.deployments.holdCreation(tx, { account, key });
      if (made !== null) return made;
      const created = await this.#insert(tx, wanted, actor);
      await this.deployments.rememberCreation(tx, { account, key }, created);
      return created;
    });
    this.announcer.committed();
    return { id };
  }

  async #insert(tx: Tx, wanted: NewDeployment, actor: Actor | undefined): Promise<DeploymentId> {
    const { account, name, replicas, settings } = wanted;
    await this.quotas.claim(tx, account, { deployments: 1, replicas });
    const { id, change } = await this.deployments.insert(tx, wanted);
    await this.announcer.record(tx, change);
    const deed = { account, actor, action: 'deployment.create', object: `deployment:${id}`, objectName: name };
    await this.announcer.audit(tx, { ...deed, facts: { source: settings.source.kind, replicas } });
    return id;
  }
}
