import { Injectable } from '@nestjs/common';
import type { AccountId, AliasFacts, DeploymentId } from '@slipway/contracts';
import type { EntityManager } from 'typeorm';
import { DeploymentEntity } from '../deployments/deployment.entity.js';
import { aliasRecord, aliasRemoval, type FeedChange, type FeedRecord, put } from '../feed/feed-records.js';
import { AliasEntity } from './alias.entity.js';

export interface AliasTarget {
  readonly account: AccountId;
  readonly name: string;
  readonly deployment: DeploymentId;
  /** The deployment that it must point at now; null: it must not exist; absent: no condition. */
  readonly from?: DeploymentId | null | undefined;
}

export interface RemovedAlias {
  readonly name: string;
  readonly removal: FeedChange;
}

export interface StoredAlias {
  readonly name: string;
  readonly deployment: DeploymentId;
  /** When it was pointed at the deployment. */
  readonly since: Date;
}

/** An alias whose row is locked until the transaction ends. */
export interface LockedAlias {
  readonly deployment: DeploymentId;
  /** The candidate of its running rollout; null = none. */
  readonly canary: DeploymentId | null;
}

/** A candidate and its share in percent. */
type Canary = NonNullable<AliasFacts['canary']>;

/** The feed record of an alias's row. */
export const aliasRecordOf = (row: AliasEntity): FeedRecord => {
  const { account, name, deploymentId, canaryId, canaryPercent, version } = row;
  const canary = canaryId !== null &&
    canaryPercent !== null && { canary: { deployment: canaryId as DeploymentId, percent: canaryPercent } };
  return aliasRecord({ account: account as AccountId, name, deployment: deploymentId as DeploymentId, ...canary }, version);
};

/** Creates or moves the alias. Returns no row when it points there already or the condition on its present target fails. */
const POINT = `
  INSERT INTO alias (account, name, deployment_id) VALUES ($1, $2, $3)
  ON CONFLICT (account, name) DO UPDATE SET deployment_id = excluded.deployment_id, updated_at = now(), canary_id = NULL, canary_percent = NULL
    WHERE alias.deployment_id <> excluded.deployment_id AND ($4::integer IS NULL OR alias.deployment_id = $4)
  RETURNING name`;
/** An id that no deployment has. */
const NONE = 0;

/** Takes the version after the row is locked, so that of two concurrent calls the later one has the higher version. */
const NEXT_VERSION = `
  UPDATE alias SET version = nextval('record_version') WHERE account = $1 AND name = $2`;

const SHARE = `
  UPDATE alias SET updated_at = CASE WHEN deployment_id = $3 THEN updated_at ELSE now() END, deployment_id = $3, canary_id = $4,
    canary_percent = $5 WHERE account = $1 AND name = $2`;

/** Aliases whose ended rollout still has another side; responses are stored for an hour. */
const LEFT = `
  SELECT a.account, a.name, a.deployment_id AS deployment FROM alias a WHERE a.canary_percent = 0 AND (a.canary_id = $1 OR $1::integer IS NULL
    AND NOT EXISTS (SELECT 1 FROM rollout r WHERE r.account = a.account AND r.alias = a.name AND r.since > now() - interval '1 hour'))
  ORDER BY a.account, a.name FOR UPDATE OF a`;

@Injectable()
export class AliasesRepository {
  /** Keeps the deployment from being deleted until the transaction ends; false when the account has no such deployment. */
  async lockDeployment(tx: EntityManager, account: AccountId, id: DeploymentId): Promise<boolean> {
    const found = await tx.findOne(DeploymentEntity, {
      select: { id: true },
      where: { id, account },
      lock: { mode: 'for_key_share' },
    });
    return found !== null;
  }

  /** Null when nothing changed: the alias points there already, or `from` does not match. */
  async point(tx: EntityManager, { account, name, deployment, from }: AliasTarget): Promise<FeedChange | null> {
    const changed = await tx.query<unknown[]>(POINT, [account, name, deployment, from === null ? NONE : (from ?? null)]);
    return changed.length === 0 ? null : this.#next(tx, account, name);
  }

  /** Locks the alias; null when the account has no such alias. Deployments are locked before. */
  async lock(tx: EntityManager, account: AccountId, name: string): Promise<LockedAlias | null> {
    const row = await tx.findOne(AliasEntity, { where: { account, name }, lock: { mode: 'pessimistic_write' } });
    const canary = row?.canaryPercent ? (row.canaryId as DeploymentId) : null;
    return row && { deployment: row.deploymentId as DeploymentId, canary };
  }

  /** True for a deployment that is there and stores responses. */
  async stores(tx: EntityManager, account: AccountId, id: DeploymentId): Promise<boolean> {
    return (await tx.findOne(DeploymentEntity, { select: { storeResponses: true }, where: { id, account } }))?.storeResponses ?? false;
  }

  /** Ends the looking up of stored responses at the other side of an ended rollout. @param other that side; null = of all that ended an hour ago */
  async forgetSides(tx: EntityManager, other: DeploymentId | null): Promise<FeedChange[]> {
    const rows = await tx.query<(AliasTarget & { deployment: DeploymentId })[]>(LEFT, [other]);
    const changes: FeedChange[] = [];
    for (const alias of rows) changes.push(await this.share(tx, alias, null));
    return changes;
  }

  /** Points a locked alias at `deployment`, with a share of its conversations for the canary; null = no canary. */
  async share(tx: EntityManager, alias: Omit<AliasTarget, 'from'>, canary: Canary | null): Promise<FeedChange> {
    const { account, name, deployment } = alias;
    await tx.query(SHARE, [account, name, deployment, canary?.deployment ?? null, canary?.percent ?? null]);
    return this.#next(tx, account, name);
  }

  async #next(tx: EntityManager, account: AccountId, name: string): Promise<FeedChange> {
    await tx.query(NEXT_VERSION, [account, name]);
    return put(aliasRecordOf(await tx.findOneByOrFail(AliasEntity, { account, name })));
  }

  /** The deployment that an alias points at; null when the account has no such alias. */
  async targetOf(tx: EntityManager, account: AccountId, name: string): Promise<DeploymentId | null> {
    const found = await tx.findOneBy(AliasEntity, { account, name });
    return found && (found.deploymentId as DeploymentId);
  }

  /** Null when the account has no such alias. */
  async remove(tx: EntityManager, account: AccountId, name: string): Promise<FeedChange | null> {
    const [removed] = await this.#delete(tx, 'account = $1 AND name = $2', [account, name]);
    return removed?.removal ?? null;
  }

  /** Removes all aliases of a locked deployment. */
  removeAllOf(tx: EntityManager, account: AccountId, id: DeploymentId): Promise<RemovedAlias[]> {
    return this.#delete(tx, 'account = $1 AND deployment_id = $2', [account, id]);
  }

  /** The version is taken when the row is locked, so it is above all earlier ones of this alias. */
  async #delete(tx: EntityManager, which: string, parameters: [account: number, other: string | number]): Promise<RemovedAlias[]> {
    const statement = `WITH gone AS (DELETE FROM alias WHERE ${which} RETURNING name, nextval('record_version') AS version)
      SELECT name, version FROM gone ORDER BY name`;
    const rows = await tx.query<{ name: string; version: string }[]>(statement, parameters);
    const names = rows.map(({ name }) => name);
    if (names.length > 0) await tx.query(`DELETE FROM rollout WHERE account = $1 AND alias = ANY($2)`, [parameters[0], names]);
    return rows.map(({ name, version }) => ({ name, removal: aliasRemoval(parameters[0], name, Number(version)) }));
  }

  /** The account's aliases, by name. */
  async list(connection: EntityManager, account: AccountId): Promise<StoredAlias[]> {
    const rows = await connection.find(AliasEntity, { where: { account }, order: { name: 'ASC' } });
    return rows.map(({ name, deploymentId, updatedAt }) => ({ name, deployment: deploymentId as DeploymentId, since: updatedAt }));
  }

  /** The account's alias names, sorted, by the id of their deployment. */
  async byDeployment(connection: EntityManager, account: AccountId): Promise<ReadonlyMap<number, string[]>> {
    const names = new Map<number, string[]>();
    for (const { deployment, name } of await this.list(connection, account)) {
      names.set(deployment, [...(names.get(deployment) ?? []), name]);
    }
    return names;
  }
}
