import { Injectable } from '@nestjs/common';
import { type AuditEntry, type DeploymentId, type ObservedState, ServiceError, type UpdateDeployment } from '@slipway/contracts';
import { AccountTransactions, type Tx } from '@slipway/database';
import type { z } from 'zod';
import { changedBy, DeploymentAnnouncer } from '../placement/deployment-announcer.js';
import { deploymentNotFound, DeploymentsRepository, type LockedDeployment } from './deployments.repository.js';
import { isSame, type RevisionSettings, settingsChanges, SettingsComposer } from './revision-settings.js';
import { RevisionsRepository } from './revisions.repository.js';
import { SourceRules } from './source-rules.js';

type UpdateRequest = z.output<typeof UpdateDeployment.request>;

/** Makes new revisions of deployments. */
@Injectable()
export class DeploymentUpdatesService {
  constructor(
    private readonly transactions: AccountTransactions,
    private readonly deployments: DeploymentsRepository,
    private readonly revisions: RevisionsRepository,
    private readonly announcer: DeploymentAnnouncer,
    private readonly rules: SourceRules,
    private readonly settings: SettingsComposer,
  ) {}

  /**
   * Writes a new revision, which the placer starts beside the serving one. Updates of one deployment run one after the other,
   * each on top of the one before.
   */
  async update(request: UpdateRequest): Promise<{ deployment: DeploymentId; rev: number; changed: boolean; state: ObservedState }> {
    const { account, deployment, name, actor } = request;
    const source = request.source && (await this.rules.check(request.source));
    const result = await this.transactions.run(request, async (tx) => {
      const locked = await this.deployments.lock(tx, account, deployment);
      if (!locked) throw deploymentNotFound();
      requireRevision(locked, request.expected_rev);
      if (name !== undefined) await this.deployments.rename(tx, deployment, name);
      const revised = await this.#revise(tx, locked, source ? { ...request, source } : request);
      const isRenamed = name !== undefined && name !== locked.name;
      const object = `deployment:${deployment}`;
      const entry = { account, actor, action: 'deployment.update', object, objectName: name ?? locked.name } as const;
      const { changes, ...outcome } = revised;
      const facts = { rev: revised.rev, ...(isRenamed && { name: `${locked.name} → ${name}` }), ...changes };
      const made = revised.changed ? { rev: revised.rev } : {};
      if (revised.changed || isRenamed) await this.announcer.changed(tx, { ...entry, ...made, facts }, deployment);
      return outcome;
    });
    this.announcer.committed();
    return { deployment, ...result };
  }

  async #revise(
    tx: Tx,
    locked: LockedDeployment,
    request: UpdateRequest,
  ): Promise<{ rev: number; changed: boolean; state: ObservedState; changes: AuditEntry['facts'] }> {
    const { deployment } = request;
    const [newest, base] = await Promise.all([
      this.#read(tx, deployment, locked.rev),
      this.#read(tx, deployment, request.base ?? locked.rev),
    ]);
    const next = this.settings.next(base, request);
    if (isSame(next, newest)) return { rev: locked.rev, changed: false, state: locked.state, changes: {} };
    const rev = locked.rev + 1;
    await this.revisions.insert(tx, { deployment, rev, settings: next, note: request.note ?? null, by: changedBy(request) });
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
