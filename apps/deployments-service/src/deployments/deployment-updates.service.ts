import { Injectable } from '@nestjs/common';
import {
  type AuditEntry,
  type DeploymentId,
  type ModelSource,
  type ObservedState,
  ServiceError,
  type UpdateDeployment,
} from '@slipway/contracts';
import { AccountTransactions, type Tx } from '@slipway/database';
import type { z } from 'zod';
import { AdapterUses } from '../adapters/adapter-uses.js';
import { AdapterUsesRepository } from '../adapters/adapter-uses.repository.js';
import { type NamedModel, RequestedModels } from '../adapters/requested-models.js';
import { changedBy, DeploymentAnnouncer } from '../placement/deployment-announcer.js';
import { deploymentNotFound, DeploymentsRepository, type LockedDeployment } from './deployments.repository.js';
import { isSame, type RevisionSettings, settingsChanges, SettingsComposer } from './revision-settings.js';
import { RevisionsRepository } from './revisions.repository.js';

type UpdateRequest = z.output<typeof UpdateDeployment.request>;

/** A request with its model found. */
type KnownRequest = Omit<UpdateRequest, 'source' | 'adapter'> & Partial<NamedModel>;

/** Makes new revisions of deployments. */
@Injectable()
export class DeploymentUpdatesService {
  // oxlint-disable-next-line slipway/max-params -- an update checks, composes, stores and announces; each dependency does one of these
  constructor(
    private readonly transactions: AccountTransactions,
    private readonly deployments: DeploymentsRepository,
    private readonly revisions: RevisionsRepository,
    private readonly announcer: DeploymentAnnouncer,
    private readonly models: RequestedModels,
    private readonly settings: SettingsComposer,
    private readonly uses: AdapterUses,
    private readonly usesRepository: AdapterUsesRepository,
  ) {}

  /**
   * Writes a new revision, which the placer starts beside the serving one. Updates of one deployment run one after the other,
   * each on top of the one before.
   */
  async update(request: UpdateRequest): Promise<{ deployment: DeploymentId; rev: number; changed: boolean; state: ObservedState }> {
    const { account, deployment, name, actor } = request;
    const { source: _, adapter: __, ...rest } = request;
    const known = { ...rest, ...(await this.models.changed({ ...request, before: await this.#engineOf(request) })) };
    await this.#assertAdapterOfBase(request);
    const result = await this.transactions.run(request, async (tx) => {
      const locked = await this.deployments.lock(tx, account, deployment);
      if (!locked) throw deploymentNotFound();
      requireRevision(locked, request.expected_rev);
      if (name !== undefined) await this.deployments.rename(tx, deployment, name);
      const revised = await this.#revise(tx, locked, known);
      const isRenamed = name !== undefined && name !== locked.name;
      const stores = await this.#setStore(tx, locked, request);
      const object = `deployment:${deployment}`;
      const entry = { account, actor, action: 'deployment.update', object, objectName: name ?? locked.name } as const;
      const { changes, ...outcome } = revised;
      const facts = { rev: revised.rev, ...(isRenamed && { name: `${locked.name} → ${name}` }), ...stores, ...changes };
      const made = revised.changed ? { rev: revised.rev } : {};
      if (revised.changed || isRenamed || stores) await this.announcer.changed(tx, { ...entry, ...made, facts }, deployment);
      return outcome;
    });
    this.announcer.committed();
    if (result.changed) this.uses.changed(account);
    return { deployment, ...result };
  }

  /** Sets whether responses are stored. @returns the change for the audit log; null = none */
  async #setStore(tx: Tx, locked: LockedDeployment, request: UpdateRequest): Promise<AuditEntry['facts'] | null> {
    const { deployment, store_responses: stores } = request;
    if (stores === undefined || stores === locked.storeResponses) return null;
    await this.announcer.record(tx, await this.deployments.setStore(tx, deployment, stores));
    return { store_responses: stores ? 'off → on' : 'on → off' };
  }

  /** The source of the newest revision, where an adapter is named without one. */
  async #engineOf({ account, deployment, adapter, source }: UpdateRequest): Promise<ModelSource | undefined> {
    if (!adapter || source) return undefined;
    const settings = await this.transactions.read(account, async (connection) => {
      const found = await this.deployments.find(connection, account, deployment);
      return found ? this.revisions.find(connection, deployment, found.rev) : null;
    });
    return settings?.source;
  }

  /** A roll back brings an adapter that may have been deleted meanwhile. Asked before the transaction, which locks the deployment. */
  async #assertAdapterOfBase(request: UpdateRequest): Promise<void> {
    const { account, deployment, base } = request;
    if (base === undefined || request.adapter !== undefined) return;
    const settings = await this.transactions.read(account, async (connection) =>
      (await this.deployments.find(connection, account, deployment)) ? this.revisions.find(connection, deployment, base) : null,
    );
    if (settings?.adapter) await this.models.assertThere(request, settings.adapter.id, base);
  }

  async #revise(
    tx: Tx,
    locked: LockedDeployment,
    request: KnownRequest,
  ): Promise<{ rev: number; changed: boolean; state: ObservedState; changes: AuditEntry['facts'] }> {
    const { account, deployment } = request;
    const newest = await this.#read(tx, deployment, locked.rev);
    const base = request.base === undefined ? newest : await this.#read(tx, deployment, request.base);
    const next = this.settings.next(base, request);
    if (isSame(next, newest)) return { rev: locked.rev, changed: false, state: locked.state, changes: {} };
    const rev = locked.rev + 1;
    await this.revisions.insert(tx, { deployment, rev, settings: next, note: request.note ?? null, by: changedBy(request) });
    if (next.adapter) await this.usesRepository.add(tx, { account, adapter: next.adapter.id });
    // Clients see no change while another revision serves or the deployment is stopped.
    const state = locked.desired === 'ready' && locked.servingRev === null ? 'pending' : locked.state;
    await this.announcer.record(tx, await this.deployments.revise(tx, deployment, { rev, state }));
    return { rev, changed: true, state, changes: settingsChanges(newest, next) };
  }

  async #read(tx: Tx, deployment: DeploymentId, rev: number): Promise<RevisionSettings> {
    const found = await this.revisions.find(tx, deployment, rev);
    if (found) return found;
    throw new ServiceError('invalid_request', `This deployment has no revision ${rev}.`, { param: 'base' });
  }
}

function requireRevision({ rev }: LockedDeployment, expected: number | undefined): void {
  if (expected === undefined || expected === rev) return;
  throw new ServiceError('invalid_request', `This deployment is at revision ${rev} now, not ${expected}: it was changed meanwhile.`, {
    param: 'expected_rev',
  });
}
