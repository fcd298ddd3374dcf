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
}

export interface RemovedAlias {
  readonly name: string;
  readonly removal: FeedChange;
}

/**
 * Makes the alias or points it elsewhere. The version is taken when the row is locked: of two calls
 * at once, the one that takes effect last has the higher one.
 */
const POINT = `
  INSERT INTO alias (account, name, deployment_id) VALUES ($1, $2, $3)
  ON CONFLICT (account, name) DO UPDATE
    SET deployment_id = excluded.deployment_id, version = nextval('record_version'), updated_at = now()
    WHERE alias.deployment_id <> excluded.deployment_id
  RETURNING version`;

@Injectable()
export class AliasesRepository {
  /** True when the account has this deployment; it cannot be deleted before the transaction ends. */
  async holdDeployment(tx: EntityManager, account: AccountId, id: DeploymentId): Promise<boolean> {
    const found = await tx.findOne(DeploymentEntity, {
      select: { id: true },
      where: { id, account },
      lock: { mode: 'for_key_share' },
    });
    return found !== null;
  }

  /** Null when the alias points there already. */
  async point(tx: EntityManager, { account, name, deployment }: AliasTarget): Promise<FeedChange | null> {
    const [row] = await tx.query<{ version: string }[]>(POINT, [account, name, deployment]);
    return row ? put(aliasRecord({ account, name, deployment }, Number(row.version))) : null;
  }

  /** Null when the account has no such alias. */
  async remove(tx: EntityManager, account: AccountId, name: string): Promise<FeedChange | null> {
    const [removed] = await this.#delete(tx, 'account = $1 AND name = $2', [account, name]);
    return removed?.removal ?? null;
  }

  /** Removes all aliases of a deployment that is held. */
  removeAllOf(tx: EntityManager, account: AccountId, id: DeploymentId): Promise<RemovedAlias[]> {
    return this.#delete(tx, 'account = $1 AND deployment_id = $2', [account, id]);
  }

  /** The version is taken when the row is locked, so it is above all that were given out for it. */
  async #delete(tx: EntityManager, which: string, parameters: [account: number, other: string | number]): Promise<RemovedAlias[]> {
    const statement = `WITH gone AS (DELETE FROM alias WHERE ${which} RETURNING name, nextval('record_version') AS version)
      SELECT name, version FROM gone ORDER BY name`;
    const rows = await tx.query<{ name: string; version: string }[]>(statement, parameters);
    return rows.map(({ name, version }) => ({ name, removal: aliasRemoval(parameters[0], name, Number(version)) }));
  }

  /** The account's aliases, by name, under the deployment that they point at. */
  async byDeployment(connection: EntityManager, account: AccountId): Promise<ReadonlyMap<number, string[]>> {
    const rows = await connection.find(AliasEntity, { where: { account }, order: { name: 'ASC' } });
    const names = new Map<number, string[]>();
    for (const { deploymentId, name } of rows) {
      const own = names.get(deploymentId) ?? [];
      names.set(deploymentId, [...own, name]);
    }
    return names;
  }
}
