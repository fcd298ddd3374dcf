import { Injectable } from '@nestjs/common';
import type { AccountId, DeploymentId, DesiredState, Incarnation, ModelSource, ObservedState, StateReason } from '@slipway/contracts';
import type { EntityManager, QueryDeepPartialEntity, SelectQueryBuilder } from 'typeorm';
import { deploymentRecord, deploymentRemoval, type FeedChange, type FeedRecord, put } from '../feed/feed-records.js';
import { DeploymentEntity, RevisionEntity } from './deployment.entity.js';
import type { RevisionSettings } from './revision-settings.js';
import { publicSource } from './source-secret.js';

/** A deployment to be made, with its first revision. */
export interface NewDeployment {
  readonly account: AccountId;
  readonly name: string;
  readonly replicas: number;
  readonly settings: RevisionSettings;
}

/** A caller's own name for one creation. */
interface Creation {
  readonly account: AccountId;
  readonly key: string;
}

/** What a held deployment is. */
export interface HeldDeployment {
  readonly name: string;
  readonly desired: DesiredState;
  readonly state: ObservedState;
  readonly rev: number;
  readonly servingRev: number | null;
}

/** A deployment with what its newest revision runs. The credential stays behind. */
export interface StoredDeployment {
  readonly id: DeploymentId;
  readonly name: string;
  readonly source: ModelSource;
  readonly slots: number;
  readonly desired: DesiredState;
  readonly state: ObservedState;
  readonly reason: StateReason | null;
  readonly detail: string | null;
  readonly rev: number;
  readonly servingRev: number | null;
  readonly replicas: number;
  readonly readyReplicas: number;
  readonly caps: readonly string[];
  /** Of the revision that serves, as its replicas reported it. */
  readonly context: number | null;
  /** Agents that were given it, by name; null = an older version did not store them. */
  readonly agents: readonly string[] | null;
  readonly createdAt: Date;
  readonly stateSince: Date;
}

/** Gives a deployment's row as gateways see it. */
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
    },
    row.version,
  );

/** Of a state that begins now, with nothing to explain. */
const BEGUN = { reason: null, detail: null, failedSince: null, stateSince: () => 'now()' };

@Injectable()
export class DeploymentsRepository {
  /** Makes the deployment and its first revision. */
  async insert(tx: EntityManager, deployment: NewDeployment): Promise<{ id: DeploymentId; change: FeedChange }> {
    const { account, name, replicas } = deployment;
    const inserted = await tx.insert(DeploymentEntity, { account, name, replicas, desired: 'ready', rev: 1 });
    const { id } = inserted.identifiers[0] as { id: DeploymentId };
    await tx.insert(RevisionEntity, { deploymentId: id, number: 1, ...deployment.settings });
    return { id, change: put(recordOf(await tx.findOneByOrFail(DeploymentEntity, { id }))) };
  }

  /** The deployment that a caller's key made, null for none. Others with the same key wait until the transaction ends. */
  async holdCreation(tx: EntityManager, { account, key }: Creation): Promise<DeploymentId | null> {
    await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [`creation:${account}:${key}`]);
    const made = `SELECT deployment_id AS id FROM creation WHERE account = $1 AND key = $2`;
    const [row] = await tx.query<{ id: DeploymentId }[]>(made, [account, key]);
    return row?.id ?? null;
  }

  async rememberCreation(tx: EntityManager, { account, key }: Creation, deployment: DeploymentId): Promise<void> {
    await tx.query(`INSERT INTO creation (account, key, deployment_id) VALUES ($1, $2, $3)`, [account, key, deployment]);
  }

  /** Locks the deployment until the transaction ends; null when the account has no such deployment. */
  async hold(tx: EntityManager, account: AccountId, id: DeploymentId): Promise<HeldDeployment | null> {
    return tx.findOne(DeploymentEntity, {
      select: { name: true, desired: true, state: true, rev: true, servingRev: true },
      where: { id, account },
      lock: { mode: 'pessimistic_write' },
    });
  }

  /** Writes what the owner wants of a deployment that is held. Resumed, it starts with its newest revision. */
  want(tx: EntityManager, id: DeploymentId, target: { desired: DesiredState; state: ObservedState }): Promise<FeedChange> {
    const nothingServes = { servingRev: null, leavingRev: null, servingSince: null };
    return this.#change(tx, id, { ...target, ...nothingServes, ...BEGUN });
  }

  /** Makes a revision that is written the newest one of a deployment that is held. */
  async revise(tx: EntityManager, id: DeploymentId, { rev, state }: { rev: number; state: ObservedState }): Promise<FeedChange> {
    return this.#change(tx, id, { rev, state, ...(state === 'pending' && BEGUN) });
  }

  /** Asks for another try at once of a deployment that is held, which comes into the state meanwhile. */
  retry(tx: EntityManager, id: DeploymentId, state: ObservedState): Promise<FeedChange> {
    return this.#change(tx, id, { state, ...(state === 'pending' && BEGUN), tries: () => 'tries + 1' });
  }

  /** Gateways need not know. */
  async rename(tx: EntityManager, id: DeploymentId, name: string): Promise<void> {
    await tx.update(DeploymentEntity, { id }, { name });
  }

  /** Replicas that are wanted of the deployment; 0 when the account has no such deployment. */
  async replicasOf(tx: EntityManager, account: AccountId, id: DeploymentId): Promise<number> {
    return (await tx.findOne(DeploymentEntity, { select: { replicas: true }, where: { id, account } }))?.replicas ?? 0;
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

  async #change(tx: EntityManager, id: DeploymentId, change: QueryDeepPartialEntity<DeploymentEntity>): Promise<FeedChange> {
    const set = { ...change, version: () => `nextval('record_version')` };
    await tx.createQueryBuilder().update(DeploymentEntity).set(set).where({ id }).execute();
    return put(recordOf(await tx.findOneByOrFail(DeploymentEntity, { id })));
  }

  /** The account's deployments, oldest first. */
  async list(connection: EntityManager, account: AccountId): Promise<StoredDeployment[]> {
    const rows = await this.#withNewest(connection, account).orderBy('d.id').getMany();
    return rows.map(storedOf);
  }

  /** Some of them: those behind the number `after`, `limit` at most. */
  async page(
    connection: EntityManager,
    account: AccountId,
    { after, limit }: { after: number; limit: number },
  ): Promise<StoredDeployment[]> {
    const rows = await this.#withNewest(connection, account).andWhere('d.id > :after', { after }).orderBy('d.id').limit(limit).getMany();
    return rows.map(storedOf);
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
  return { ...rest, id: id as DeploymentId, source: publicSource(newest.source), slots: newest.slots, context: engineContext };
}
