import { Injectable } from '@nestjs/common';
import type { AccountId, TuningCounts, TuningQuotas } from '@slipway/contracts';
import type { EntityManager } from 'typeorm';

/** Versions and examples are bounds of one data set and one version: their use is that of the largest one. */
const USED = `
  SELECT
    (SELECT count(*) FROM dataset WHERE account = $1 AND deleted_at IS NULL)::float8 AS datasets,
    (SELECT coalesce(max(n), 0) FROM (SELECT count(*) AS n FROM dataset_version v JOIN dataset d ON d.id = v.dataset_id
      WHERE v.account = $1 AND d.deleted_at IS NULL GROUP BY v.dataset_id) each)::float8 AS versions,
    (SELECT coalesce(sum(bytes), 0) FROM blob WHERE account = $1 AND unused_since IS NULL)::float8 AS bytes,
    (SELECT coalesce(max(original_bytes), 0) FROM dataset_version WHERE account = $1)::float8 AS file_bytes,
    (SELECT coalesce(max(examples), 0) FROM dataset_version WHERE account = $1)::float8 AS examples,
    (SELECT count(*) FROM upload WHERE account = $1 AND state = 'open' AND expires_at > now())::float8 AS uploads,
    (SELECT count(*) FROM job WHERE account = $1 AND state IN ('starting', 'running', 'pausing', 'finishing', 'evaluating', 'cancelling'))::float8
      AS running_jobs,
    (SELECT count(*) FROM job WHERE account = $1 AND state IN ('validating', 'queued'))::float8 AS queued_jobs,
    (SELECT coalesce(max(learned_tokens), 0) FROM job WHERE account = $1)::float8 AS job_tokens,
    (SELECT coalesce(sum(learned_tokens), 0) FROM job WHERE account = $1 AND created_at > date_trunc('month', now()))::float8 AS month_tokens,
    (SELECT count(*) FROM adapter WHERE account = $1)::float8 AS adapters`;

@Injectable()
export class QuotasRepository {
  /** What the account has now. */
  async used(connection: EntityManager, account: AccountId): Promise<TuningCounts> {
    const [row] = await connection.query<[TuningCounts]>(USED, [account]);
    return row;
  }

  /** The quotas that an operator set for the account. */
  async find(connection: EntityManager, account: AccountId): Promise<TuningQuotas> {
    const [row] = await connection.query<{ quotas: TuningQuotas }[]>(`SELECT quotas FROM account_quota WHERE account = $1`, [account]);
    return row?.quotas ?? {};
  }

  async set(tx: EntityManager, account: AccountId, quotas: TuningQuotas): Promise<void> {
    await tx.query(`INSERT INTO account_quota (account, quotas) VALUES ($1, $2) ON CONFLICT (account) DO UPDATE SET quotas = $2`, [
      account,
      JSON.stringify(quotas),
    ]);
  }
}
