import { Injectable } from '@nestjs/common';
import { type AuditEntry, type DeploymentId, type ObservedState, ServiceError, type UpdateDeployment } from '@slipway/contracts';
import type { Tx } from '@slipway/database';
import type { z } from 'zod';
import { AccountTransactions } from '../quotas/account-transactions.js';
import { DeploymentAnnouncer } from '../placement/deployment-announcer.js';
import { deploymentNotFound } from './deployment-not-found.js';
import { DeploymentsRepository, type HeldDeployment } from './deployments.repository.js';
import { isSame, type RevisionSettings, SettingsComposer } from './revision-settings.js';
import { RevisionsRepository } from './revisions.repository.js';
import { settingsChanges } from './settings-changes.js';
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

  /** The placer brings the new revision up beside the one that serves. Of two updates at once, the later one builds on the earlier. */
  async update(request: UpdateRequest): Promise<{ deployment: DeploymentId; rev: number; changed: boolean; state: ObservedState }> {
    const { account, deployment, name, actor } = request;
    const source = request.source && (await this.rules.check(request.source));
    const result = await this.transactions.run(request, async (tx) => {
      const held = await this.deployments.hold(tx, account, deployment);
      if (!held) throw deploymentNotFound();
      requireRevision(held, request.expected_rev);
      if (name !== undefined) await this.deployments.rename(tx, deployment, name);
      const revised = await this.#revise(tx, held, source ? { ...request, source } : request);
      const isRenamed = name !== undefined && name !== held.name;
      const deed = { account, actor, action: 'deployment.update', object: `deployment:${deployment}`, objectName: name ?? held.name };
      const { changes, ...outcome } = revised;
      const facts = { rev: revised.rev, ...(isRenamed && { name: `${held.name} → ${name}` }), ...changes };
      if (revised.changed || isRenamed) await this.announcer.audit(tx, { ...deed, facts });
      return outcome;
    });
    this.announcer.committed();
    return { deployment, ...result };
  }

  async #revise(
    tx: Tx,
    held: HeldDeployment,
    request: UpdateRequest,
  ): Promise<{ rev: number; changed: boolean; state: ObservedState; changes: AuditEntry['facts'] }> {
    const { deployment } = request;
    const [newest, base] = await Promise.all([this.#read(tx, deployment, held.rev), this.#read(tx, deployment, request.base ?? held.rev)]);
    const next = this.settings.next(base, request);
    if (isSame(next, newest)) return { rev: held.rev, changed: false, state: held.state, changes: {} };
    const rev = held.rev + 1;
    await this.revisions.insert(tx, deployment, rev, next);
    // While another revision serves, or the deployment is stopped, nothing changes for clients yet.
    const state = held.desired === 'ready' && held.servingRev === null ? 'pending' : held.state;
    await this.announcer.record(tx, await this.deployments.revise(tx, deployment, { rev, state }));
    return { rev, changed: true, state, changes: settingsChanges(newest, next) };
  }

  async #read(tx: Tx, deployment: DeploymentId, rev: number): Promise<RevisionSettings> {
    const found = await this.revisions.find(tx, deployment, rev);
    if (found) return found;
    throw new ServiceError('invalid_request', `This deployment has no revision ${rev}.`, { param: 'base' });
  }
}

function requireRevision({ rev }: HeldDeployment, expected: number | undefined): void {
  if (expected === undefined || expected === rev) return;
  throw new ServiceError('invalid_request', `This deployment is at revision ${rev} now, not ${expected}: somebody changed it.`, {
    param: 'expected_rev',
  });
}
