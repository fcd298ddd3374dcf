import { Injectable } from '@nestjs/common';
import type { Actor, CreateDeployment, DeploymentId } from '@slipway/contracts';
import { AccountTransactions, type Tx } from '@slipway/database';
import type { z } from 'zod';
import { mostOf, replicaFacts, replicasOf } from '../autoscaling/requested-replicas.js';
import { changedBy, DeploymentAnnouncer } from '../placement/deployment-announcer.js';
import { QuotasService } from '../quotas/quotas.service.js';
import { DeploymentsRepository, type NewDeployment } from './deployments.repository.js';
import { AdapterUses } from '../adapters/adapter-uses.js';
import { AdapterUsesRepository } from '../adapters/adapter-uses.repository.js';
import { RequestedModels } from '../adapters/requested-models.js';
import { SettingsComposer } from './revision-settings.js';
import { SettingsPolicy } from './settings-policy.js';

/** Creates deployments. */
@Injectable()
export class DeploymentsService {
  // oxlint-disable-next-line slipway/max-params -- creation checks, counts, stores and announces; each dependency does one of these
  constructor(
    private readonly transactions: AccountTransactions,
    private readonly deployments: DeploymentsRepository,
    private readonly announcer: DeploymentAnnouncer,
    private readonly models: RequestedModels,
    private readonly settings: SettingsComposer,
    private readonly policy: SettingsPolicy,
    private readonly quotas: QuotasService,
    private readonly uses: AdapterUses,
    private readonly usesRepository: AdapterUsesRepository,
  ) {}

  /**
   * Creates a deployment with desired state `ready`. The agent that loads it finds out whether its model exists.
   * A repeated idempotency key returns the deployment that the first request created.
   */
  async create(request: z.output<typeof CreateDeployment.request>): Promise<{ id: DeploymentId }> {
    const { account, name, actor, idempotency_key: key } = request;
    const model = await this.models.first(request);
    const settings = this.settings.first({ ...request, ...model });
    const replicas = replicasOf(request.replicas ?? this.policy.defaultReplicas(model.source), null);
    this.policy.checkReplicas(mostOf(replicas));
    const storeResponses = request.store_responses ?? false;
    const wanted = { account, name, replicas, storeResponses, settings, note: request.note ?? null, by: changedBy(request) };
    const id = await this.transactions.run(request, async (tx) => {
      if (key === undefined) return this.#insert(tx, wanted, actor);
      const made = await this.deployments.lockCreation(tx, { account, key });
      if (made !== null) return made;
      const created = await this.#insert(tx, wanted, actor);
      await this.deployments.rememberCreation(tx, { account, key }, created);
      return created;
    });
    this.announcer.committed();
    if (settings.adapter) this.uses.changed(account);
    return { id };
  }

  async #insert(tx: Tx, wanted: NewDeployment, actor: Actor | undefined): Promise<DeploymentId> {
    const { account, name, replicas, storeResponses, settings } = wanted;
    await this.quotas.claim(tx, account, { deployments: 1, replicas: mostOf(replicas) });
    const { id, change } = await this.deployments.insert(tx, wanted);
    await this.announcer.record(tx, change);
    const { source, adapter } = settings;
    if (adapter) await this.usesRepository.add(tx, { account, adapter: adapter.id });
    const entry = { account, actor, action: 'deployment.create', object: `deployment:${id}`, objectName: name } as const;
    const facts = {
      source: source.kind,
      ...replicaFacts(replicas),
      ...(adapter && { adapter: `${adapter.name}@${adapter.version}` }),
      ...(storeResponses && { store_responses: 'on' }),
    };
    await this.announcer.changed(tx, { ...entry, rev: 1, facts }, id);
    return id;
  }
}
