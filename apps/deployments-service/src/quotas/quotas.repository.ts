import { Injectable } from '@nestjs/common';
import type { AccountId, DeploymentCounts, DeploymentQuotas } from '@slipway/contracts';
import type { EntityManager } from 'typeorm';

const USED = `
  SELECT count(*)::integer AS deployments, coalesce(sum(coalesce(replicas_max, replicas)), 0)::integer AS replicas,
    (SELECT count(*) FROM alias WHERE account = $1)::integer AS aliases
  FROM deployment WHERE account = $1`;

const SET = `
  INSERT INTO account_quota (account, deployments, replicas, aliases) VALUES ($1, $2, $3, $4)
  ON CONFLICT (account) DO UPDATE SET deployments = $2, replicas = $3, aliases = $4`;

type QuotaRow = Record<keyof DeploymentCounts, number | null>;

@Injectable()
export class QuotasRepository {
  /** What the account has now. */
  async used(connection: EntityManager, account: AccountId): Promise<DeploymentCounts> {
    const [row] = await connection.query<DeploymentCounts[]>(USED, [account]);
    return row ?? { deployments: 0, replicas: 0, aliases: 0 };
  }

  /** The quotas that an operator set for the account. */
  async find(connection: EntityManager, account: AccountId): Promise<DeploymentQuotas> {
    const own = `SELECT deployments, replicas, aliases FROM account_quota WHERE account = $1`;
    const [row] = await connection.query<QuotaRow[]>(own, [account]);
    return Object.fromEntries(Object.entries(row ?? {}).filter(([, quota]) => quota !== null));
  }

  async set(tx: EntityManager, account: AccountId, { deployments, replicas, aliases }: DeploymentQuotas): Promise<void> {
    await tx.query(SET, [account, deployments ?? null, replicas ?? null, aliases ?? null]);
  }
}
