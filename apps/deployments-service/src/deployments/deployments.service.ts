import { Injectable } from '@nestjs/common';
import type { Actor, CreateDeployment, DeploymentId } from '@slipway/contracts';
import { AccountTransactions, type Tx } from '@slipway/database';
import type { z } from 'zod';
import { changedBy, DeploymentAnnouncer } from '../placement/deployment-announcer.js';
import { QuotasService } from '../quotas/quotas.service.js';
import { DeploymentsRepository, type NewDeployment } from './deployments.repository.js';
import { SettingsComposer } from './revision-settings.js';
import { SettingsPolicy } from './settings-policy.js';
import { SourceRules } from './source-rules.js';

/** Creates deployments. */
@Injectable()
export class DeploymentsService {
  // oxlint-disable-next-line slipway/max-params -- creation checks, counts, stores and announces; each dependency does one of these
  constructor(
    private readonly transactions: AccountTransactions,
    private readonly deployments: DeploymentsRepository,
    private readonly announcer: DeploymentAnnouncer,
    private readonly rules: SourceRules,
    private readonly settings: SettingsComposer,
    private readonly policy: SettingsPolicy,
    private readonly quotas: QuotasService,
  ) {}

  /**
   * Creates a deployment with desired state `ready`. The agent that loads it finds out whether its model exists.
   * A repeated idempotency key returns the deployment that the first request created.
   */
  async create(request: z.output<typeof CreateDeployment.request>): Promise<{ id: DeploymentId }> {
    const { account, name, actor, idempotency_key: key } = request;
    const source = await this.rules.check(request.source);
    const settings = this.settings.first({ ...request, source });
    const replicas = request.replicas ?? this.policy.defaultReplicas(source);
    this.policy.checkReplicas(replicas);
    const wanted = { account, name, replicas, settings, note: request.note ?? null, by: changedBy(request) };
    const id = await this.transactions.run(request, async (tx) => {
      if (key === undefined) return this.#insert(tx, wanted, actor);
      const made = await this.deployments.lockCreation(tx, { account, key });
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
    const entry = { account, actor, action: 'deployment.create', object: `deployment:${id}`, objectName: name } as const;
    await this.announcer.changed(tx, { ...entry, rev: 1, facts: { source: settings.source.kind, replicas } }, id);
    return id;
  }
}
