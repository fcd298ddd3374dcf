import { Injectable } from '@nestjs/common';
import type { AccountId, DeploymentId } from '@slipway/contracts';
import type { EntityManager } from 'typeorm';
import { DeploymentEntity } from '../deployments/deployment.entity.js';
import { aliasRecord, aliasRemoval, type FeedChange, put } from '../feed/feed-records.js';
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

/** Creates or moves the alias. Returns no row when it points there already or the condition on its present target fails. */
const POINT = `
  INSERT INTO alias (account, name, deployment_id) VALUES ($1, $2, $3)
  ON CONFLICT (account, name) DO UPDATE SET deployment_id = excluded.deployment_id, updated_at = now()
    WHERE alias.deployment_id <> excluded.deployment_id AND ($4::integer IS NULL OR alias.deployment_id = $4)
  RETURNING name`;
/** An id that no deployment has. */
const NONE = 0;

/** Takes the version after the row is locked, so that of two concurrent calls the later one has the higher version. */
const NEXT_VERSION = `
  UPDATE alias SET version = nextval('record_version') WHERE account = $1 AND name = $2 RETURNING version`;

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
    if (changed.length === 0) return null;
    const [[row]] = await tx.query<[{ version: string }[], number]>(NEXT_VERSION, [account, name]);
    return put(aliasRecord({ account, name, deployment }, Number(row?.version)));
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
