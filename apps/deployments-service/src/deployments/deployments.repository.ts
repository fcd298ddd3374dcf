import { Injectable } from '@nestjs/common';
import type { AccountId, DeploymentId, DesiredState, ModelSource, ObservedState, StateReason } from '@slipway/contracts';
import type { EntityManager } from 'typeorm';
import { deploymentRecord, deploymentRemoval, type FeedChange, type FeedRecord, put } from '../feed/feed-records.js';
import { DeploymentEntity, RevisionEntity } from './deployment.entity.js';

/** A deployment to be made, with its first revision. */
export interface NewDeployment {
  readonly account: AccountId;
  readonly name: string;
  readonly replicas: number;
  readonly source: ModelSource;
  /** Sealed. */
  readonly credential: string | null;
  readonly context: number | null;
  readonly slots: number;
  readonly defaultMaxTokens: number | null;
}

/** A deployment with what its newest revision runs. The credential stays behind. */
export interface StoredDeployment {
  readonly id: DeploymentId;
  readonly name: string;
  readonly source: ModelSource;
  readonly desired: DesiredState;
  readonly state: ObservedState;
  readonly reason: StateReason | null;
  readonly detail: string | null;
  readonly rev: number;
  readonly replicas: number;
  readonly readyReplicas: number;
}

/** Gives a deployment's row as gateways see it. */
export const recordOf = (row: DeploymentEntity): FeedRecord =>
  deploymentRecord(
    {
      id: row.id as DeploymentId,
      account: row.account as AccountId,
      desired: row.desired,
      state: row.state,
      rev: row.rev,
      caps: row.caps,
      context: row.engineContext,
    },
    row.version,
  );

@Injectable()
export class DeploymentsRepository {
  /** Makes the deployment and its first revision. */
  async insert(tx: EntityManager, deployment: NewDeployment): Promise<{ id: DeploymentId; change: FeedChange }> {
    const { account, name, replicas } = deployment;
    const inserted = await tx.insert(DeploymentEntity, { account, name, replicas, desired: 'ready', rev: 1 });
    const { id } = inserted.identifiers[0] as { id: DeploymentId };
    const { source, credential, context, slots, defaultMaxTokens } = deployment;
    await tx.insert(RevisionEntity, { deploymentId: id, number: 1, source, credential, context, slots, defaultMaxTokens });
    return { id, change: put(recordOf(await tx.findOneByOrFail(DeploymentEntity, { id }))) };
  }

  /** Locks the deployment until the transaction ends; null when the account has no such deployment. */
  async hold(tx: EntityManager, account: AccountId, id: DeploymentId): Promise<{ desired: DesiredState; state: ObservedState } | null> {
    return tx.findOne(DeploymentEntity, {
      select: { desired: true, state: true },
      where: { id, account },
      lock: { mode: 'pessimistic_write' },
    });
  }

  /** Writes what the owner wants of a deployment that is held. */
  async want(tx: EntityManager, id: DeploymentId, target: { desired: DesiredState; state: ObservedState }): Promise<FeedChange> {
    await tx
      .createQueryBuilder()
      .update(DeploymentEntity)
      .set({ ...target, reason: null, detail: null, version: () => `nextval('record_version')`, stateSince: () => 'now()' })
      .where({ id })
      .execute();
    return put(recordOf(await tx.findOneByOrFail(DeploymentEntity, { id })));
  }

  /** False when the account has no such deployment. Gateways need not know. */
  async scale(tx: EntityManager, account: AccountId, id: DeploymentId, replicas: number): Promise<boolean> {
    const { affected } = await tx.update(DeploymentEntity, { id, account }, { replicas });
    return affected === 1;
  }

  /** Deletes a deployment that is held and has no aliases, its revisions with it. */
  async delete(tx: EntityManager, id: DeploymentId): Promise<FeedChange> {
    const [row] = await tx.query<{ version: string }[]>(`SELECT nextval('record_version') AS version`);
    await tx.delete(DeploymentEntity, { id });
    return deploymentRemoval(id, Number(row?.version));
  }

  /** The account's deployments, oldest first. */
  async list(connection: EntityManager, account: AccountId): Promise<StoredDeployment[]> {
    const rows = await connection
      .createQueryBuilder(DeploymentEntity, 'd')
      .innerJoinAndMapOne('d.newest', RevisionEntity, 'r', 'r.deployment_id = d.id AND r.number = d.rev')
      .where('d.account = :account', { account })
      .orderBy('d.id')
      .getMany();
    return rows.map((row) => {
      const { newest } = row as DeploymentEntity & { newest: RevisionEntity };
      const { name, desired, state, reason, detail, rev, replicas, readyReplicas } = row;
      return { id: row.id as DeploymentId, name, source: newest.source, desired, state, reason, detail, rev, replicas, readyReplicas };
    });
  }
}
