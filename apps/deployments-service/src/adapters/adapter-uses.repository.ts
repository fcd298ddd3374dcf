import { Injectable } from '@nestjs/common';
import type { AccountId, AdapterId, DeploymentId } from '@slipway/contracts';
import { Transactions, type Tx } from '@slipway/database';

/** Deployments that name an adapter in their newest or their serving revision. */
export interface AdapterUse {
  readonly account: AccountId;
  readonly adapter: AdapterId;
  readonly deployments: DeploymentId[];
  /** When a revision last named it, as the database writes it. */
  readonly usedAt: string;
}

const NAMED_BY = `
  SELECT d.id FROM deployment d JOIN revision r ON r.deployment_id = d.id AND r.number IN (d.rev, d.serving_rev)
  WHERE d.account = u.account AND r.adapter->>'id' = u.adapter_id::text`;

const READ = `
  SELECT u.account, u.adapter_id AS adapter, u.used_at::text AS "usedAt", ARRAY(SELECT DISTINCT n.id FROM (${NAMED_BY}) n ORDER BY 1) AS deployments
  FROM adapter_use u WHERE $1::integer IS NULL OR u.account = $1 ORDER BY 1, 2`;

const FORGET = `DELETE FROM adapter_use u WHERE account = $1 AND adapter_id = $2 AND used_at = $3::timestamptz AND NOT EXISTS (${NAMED_BY})`;

const ADD = `
  INSERT INTO adapter_use (account, adapter_id) VALUES ($1, $2)
  ON CONFLICT (account, adapter_id) DO UPDATE SET used_at = clock_timestamp()`;

/** Which adapters deployments name or have named since tuning-service was told last. */
@Injectable()
export class AdapterUsesRepository {
  constructor(private readonly transactions: Transactions) {}

  /** Adds a use, in the transaction that writes the revision. */
  async add(tx: Tx, { account, adapter }: Pick<AdapterUse, 'account' | 'adapter'>): Promise<void> {
    await tx.query(ADD, [account, adapter]);
  }

  /** All uses of an account, or of every account. */
  read(account: AccountId | null): Promise<AdapterUse[]> {
    return this.transactions.read((connection) => connection.query<AdapterUse[]>(READ, [account]));
  }

  /** Forgets an adapter that no deployment names, unless one did since it was read. */
  async forget({ account, adapter, usedAt }: AdapterUse): Promise<void> {
    await this.transactions.run((tx) => tx.query(FORGET, [account, adapter, usedAt]));
  }
}
