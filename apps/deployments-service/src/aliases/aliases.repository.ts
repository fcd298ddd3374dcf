import { Injectable } from '@nestjs/common';
import type { AccountId, DeploymentId } from '@slipway/contracts';
import type { EntityManager } from 'typeorm';
import { DeploymentEntity } from '../deployments/deployment.entity.js';
import { aliasRecord, type FeedRecord } from '../feed/feed-records.js';
import { AliasEntity } from './alias.entity.js';

export interface AliasTarget {
  readonly account: AccountId;
  readonly name: string;
  readonly deployment: DeploymentId;
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

  /** Returns the record that readers of the feed must get; null when the alias points there already. */
  async point(tx: EntityManager, { account, name, deployment }: AliasTarget): Promise<FeedRecord | null> {
    const [row] = await tx.query<{ version: string }[]>(POINT, [account, name, deployment]);
    return row ? aliasRecord({ account, name, deployment }, Number(row.version)) : null;
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
