import { Injectable } from '@nestjs/common';
import {
  type AccountId,
  type DeployedAdapter,
  type DeploymentId,
  type DesiredState,
  type Incarnation,
  type ModelSource,
  type ObservedState,
  type ReplicaRange,
  ServiceError,
  type StateReason,
} from '@slipway/contracts';
import type { EntityManager, QueryDeepPartialEntity, SelectQueryBuilder } from 'typeorm';
import { rangeIn, replicaColumns, type Replicas } from '../autoscaling/requested-replicas.js';
import { deploymentRecord, deploymentRemoval, type FeedChange, type FeedRecord, put } from '../feed/feed-records.js';
import { DeploymentEntity, RevisionEntity } from './deployment.entity.js';
import { deployedAdapter, publicSource, type RevisionSettings, settingsColumns } from './revision-settings.js';
import { originColumns, type RevisionOrigin } from './revisions.repository.js';

/** A deployment to create, with the settings of its first revision. */
export interface NewDeployment extends RevisionOrigin {
  readonly account: AccountId;
  readonly name: string;
  readonly replicas: Replicas;
  readonly storeResponses: boolean;
  readonly settings: RevisionSettings;
}

/** An idempotency key of a caller. */
interface Creation {
  readonly account: AccountId;
  readonly key: string;
}

/** A deployment whose row is locked until the transaction ends. */
export interface LockedDeployment {
  readonly name: string;
  readonly desired: DesiredState;
  readonly state: ObservedState;
  readonly rev: number;
  readonly servingRev: number | null;
  readonly storeResponses: boolean;
  readonly replicas: number;
}

/** A deployment with its newest revision, without the credential. */
export interface StoredDeployment {
  readonly id: DeploymentId;
  readonly name: string;
  readonly source: ModelSource;
  readonly adapter: DeployedAdapter | null;
  readonly slots: number;
  readonly desired: DesiredState;
  readonly state: ObservedState;
  readonly reason: StateReason | null;
  readonly detail: string | null;
  readonly rev: number;
  readonly servingRev: number | null;
  readonly replicas: number;
  /** Null = the number is fixed. */
  readonly range: ReplicaRange | null;
  readonly readyReplicas: number;
  readonly caps: readonly string[];
  /** Context of the serving revision in tokens, as its replicas reported it. */
  readonly context: number | null;
  /** Names of the agents that it is assigned to; null in rows of older versions. */
  readonly agents: readonly string[] | null;
  /** Whether gateways store its responses. */
  readonly storeResponses: boolean;
  readonly createdAt: Date;
  readonly stateSince: Date;
  /** When its owner last changed it. */
  readonly updatedAt: Date;
}

/** The feed record of a deployment's row. */
export const recordOf = (row: DeploymentEntity): FeedRecord =>
  deploymentRecord(
    {
      id: row.id as DeploymentId,
      account: row.account as AccountId,
      desired: row.desired,
      state: row.state,
      rev: row.servingRev ?? row.rev,
      caps: row.caps,
      context: row.engineContext,
      ...(row.agents !== null && { agents: row.agents as Incarnation[] }),
      ...(row.storeResponses && { store: true }),
    },
    row.version,
  );

const NOW = (): string => 'now()';

/** Columns of a state that begins now and has no reason. */
const NEW_STATE = { reason: null, detail: null, failedSince: null, stateSince: () => 'now()' };

const CAPACITIES = `
  SELECT d.id, d.ready_replicas * r.slots AS slots FROM deployment d
  JOIN revision r ON r.deployment_id = d.id AND r.number = coalesce(d.serving_rev, d.rev)
  WHERE d.account = $1 AND ($2::integer IS NULL OR d.id = $2) AND d.id > $3 ORDER BY d.id LIMIT $4`;

@Injectable()
export class DeploymentsRepository {
  /** Creates the deployment and its first revision. */
  async insert(tx: EntityManager, deployment: NewDeployment): Promise<{ id: DeploymentId; change: FeedChange }> {
    const { account, name, replicas, storeResponses } = deployment;
    const row = { account, name, ...replicaColumns(replicas), storeResponses, rev: 1 };
    const inserted = await tx.insert(DeploymentEntity, { ...row, desired: 'ready' });
    const { id } = inserted.identifiers[0] as { id: DeploymentId };
    await tx.insert(RevisionEntity, { deploymentId: id, number: 1, ...settingsColumns(deployment.settings), ...originColumns(deployment) });
    return { id, change: put(recordOf(await tx.findOneByOrFail(DeploymentEntity, { id }))) };
  }

  /** The deployment that an idempotency key created; null for none. Other transactions with this key wait until this one ends. */
  async lockCreation(tx: EntityManager, { account, key }: Creation): Promise<DeploymentId | null> {
    await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [`creation:${account}:${key}`]);
    const made = `SELECT deployment_id AS id FROM creation WHERE account = $1 AND key = $2`;
    const [row] = await tx.query<{ id: DeploymentId }[]>(made, [account, key]);
    return row?.id ?? null;
  }

  async rememberCreation(tx: EntityManager, { account, key }: Creation, deployment: DeploymentId): Promise<void> {
    await tx.query(`INSERT INTO creation (account, key, deployment_id) VALUES ($1, $2, $3)`, [account, key, deployment]);
  }

  /** Locks the deployment until the transaction ends; null when the account has no such deployment. */
  async lock(tx: EntityManager, account: AccountId, id: DeploymentId): Promise<LockedDeployment | null> {
    return tx.findOne(DeploymentEntity, {
      select: { name: true, desired: true, state: true, rev: true, servingRev: true, storeResponses: true, replicas: true },
      where: { id, account },
      lock: { mode: 'pessimistic_write' },
    });
  }

  /** Writes the desired state of a locked deployment. No revision serves then: a resumed one starts with its newest. */
  setDesired(tx: EntityManager, id: DeploymentId, target: { desired: DesiredState; state: ObservedState }): Promise<FeedChange> {
    const nothingServes = { servingRev: null, leavingRev: null, servingSince: null };
    return this.#change(tx, id, { ...target, ...nothingServes, ...NEW_STATE });
  }

  /** Makes an inserted revision the newest one of a locked deployment. */
  async revise(tx: EntityManager, id: DeploymentId, { rev, state }: { rev: number; state: ObservedState }): Promise<FeedChange> {
    return this.#change(tx, id, { rev, state, ...(state === 'pending' && NEW_STATE) });
  }

  /** Asks the placer to retry a locked deployment at once; `state` is written for the meantime. */
  retry(tx: EntityManager, id: DeploymentId, state: ObservedState): Promise<FeedChange> {
    return this.#change(tx, id, { state, ...(state === 'pending' && NEW_STATE), tries: () => 'tries + 1' });
  }

  /** Renames a deployment. The feed does not carry names. */
  async rename(tx: EntityManager, id: DeploymentId, name: string): Promise<void> {
    await tx.update(DeploymentEntity, { id }, { name, updatedAt: NOW });
  }

  /** Sets whether gateways store the responses of a locked deployment. */
  setStore(tx: EntityManager, id: DeploymentId, storeResponses: boolean): Promise<FeedChange> {
    return this.#change(tx, id, { storeResponses });
  }

  /** The replicas of a deployment; null when the account has no such deployment. */
  async replicasOf(tx: EntityManager, account: AccountId, id: DeploymentId): Promise<Replicas | null> {
    const select = { id: true, replicas: true, replicasMin: true, replicasMax: true, targetPercent: true } as const;
    const row = await tx.findOne(DeploymentEntity, { select, where: { id, account } });
    return row && { count: row.replicas, range: rangeIn(row) };
  }

  /** Sets the replicas of a locked deployment. The feed does not carry them. */
  async scale(tx: EntityManager, id: DeploymentId, replicas: Replicas): Promise<void> {
    await tx.update(DeploymentEntity, { id }, { ...replicaColumns(replicas), updatedAt: NOW });
  }

  /** Deletes a locked deployment without aliases, and its revisions. */
  async delete(tx: EntityManager, id: DeploymentId): Promise<FeedChange> {
    const [row] = await tx.query<{ version: string }[]>(`SELECT nextval('record_version') AS version`);
    await tx.delete(DeploymentEntity, { id });
    return deploymentRemoval(id, Number(row?.version));
  }

  async #change(tx: EntityManager, id: DeploymentId, change: QueryDeepPartialEntity<DeploymentEntity>): Promise<FeedChange> {
    const set = { ...change, updatedAt: NOW, version: () => `nextval('record_version')` };
    await tx.createQueryBuilder().update(DeploymentEntity).set(set).where({ id }).execute();
    return put(recordOf(await tx.findOneByOrFail(DeploymentEntity, { id })));
  }

  /** The account's deployments, oldest first. */
  async list(connection: EntityManager, account: AccountId): Promise<StoredDeployment[]> {
    const rows = await this.#withNewest(connection, account).orderBy('d.id').getMany();
    return rows.map(storedOf);
  }

  /** A page of the account's deployments: at most `limit` with ids above `after`. */
  async page(
    connection: EntityManager,
    account: AccountId,
    { after, limit }: { after: number; limit: number },
  ): Promise<StoredDeployment[]> {
    const rows = await this.#withNewest(connection, account).andWhere('d.id > :after', { after }).orderBy('d.id').limit(limit).getMany();
    return rows.map(storedOf);
  }

  /** Ids with the slots of all ready replicas, at most `limit` with ids above `after`; all deployments, or one. */
  async capacities(
    connection: EntityManager,
    account: AccountId,
    { deployment, after, limit }: { deployment: DeploymentId | null; after: number; limit: number },
  ): Promise<{ id: DeploymentId; slots: number }[]> {
    return connection.query(CAPACITIES, [account, deployment, after, limit]);
  }

  /** Null when the account has no such deployment. */
  async find(connection: EntityManager, account: AccountId, id: DeploymentId): Promise<StoredDeployment | null> {
    const row = await this.#withNewest(connection, account).andWhere('d.id = :id', { id }).getOne();
    return row && storedOf(row);
  }

  #withNewest(connection: EntityManager, account: AccountId): SelectQueryBuilder<DeploymentEntity> {
    return connection
      .createQueryBuilder(DeploymentEntity, 'd')
      .innerJoinAndMapOne('d.newest', RevisionEntity, 'r', 'r.deployment_id = d.id AND r.number = d.rev')
      .where('d.account = :account', { account });
  }
}

function storedOf(row: DeploymentEntity): StoredDeployment {
  const { newest, engineContext, id, ...rest } = row as DeploymentEntity & { newest: RevisionEntity };
  // Replicas of older versions write revisions, and not this time.
  const updatedAt = new Date(Math.max(rest.updatedAt.getTime(), newest.createdAt.getTime()));
  const { source, adapter, slots } = newest;
  return {
    ...{ ...rest, updatedAt, id: id as DeploymentId, slots, context: engineContext, range: rangeIn(row) },
    ...{ source: publicSource(source), adapter: deployedAdapter(adapter) },
  };
}

/** The error for a deployment that does not exist or belongs to another account; callers cannot tell which. */
export const deploymentNotFound = (): ServiceError =>
  new ServiceError('deployment_not_found', 'This account has no such deployment.', { param: 'deployment' });
