import { Injectable } from '@nestjs/common';
import type { QueryUsage, UsageGroup, UsageStep } from '@slipway/contracts';
import type { Tx } from '@slipway/database';
import type { z } from 'zod';

type Question = z.output<typeof QueryUsage.request>;

/** One row of sums as the database gives it. */
export interface SumRow extends Partial<Record<UsageGroup, string | number>> {
  readonly from: Date;
  readonly requests: string;
  readonly errors: string;
  readonly prompt: string;
  readonly cached: string;
  readonly completion: string;
}

const COLUMN: Record<UsageGroup, string> = { key: 'key_id', deployment: 'deployment_id', alias: 'alias', api: 'api', status: 'status' };
const STEP: Record<UsageStep, string> = {
  minute: 'minute',
  hour: `date_trunc('hour', minute, 'UTC')`,
  day: `date_trunc('day', minute, 'UTC')`,
  total: '$2::timestamptz',
};
const NO_ERROR = `('completed', 'cancelled', 'running')`;

@Injectable()
export class UsageQueriesRepository {
  /** Sums of an account, `limit` rows at most. */
  async sums(tx: Tx, { account, from, to, step, group_by: groups, key, deployment, alias }: Question, limit: number): Promise<SumRow[]> {
    const chosen = [...new Set(groups)].map((group) => `${COLUMN[group]} AS "${group}"`);
    const places = Array.from({ length: chosen.length + 1 }, (_, i) => i + 1).join(', ');
    return tx.query(
      `SELECT ${[`${STEP[step]} AS "from"`, ...chosen].join(', ')}, sum(requests) AS requests,
         coalesce(sum(requests) FILTER (WHERE status NOT IN ${NO_ERROR}), 0) AS errors,
         sum(prompt) AS prompt, sum(cached) AS cached, sum(completion) AS completion
       FROM usage.minute
       WHERE account_id = $1 AND minute >= date_trunc('minute', $2::timestamptz) AND minute < $3::timestamptz
         AND ($4::integer IS NULL OR key_id = $4) AND ($5::integer IS NULL OR deployment_id = $5) AND ($6::text IS NULL OR alias = $6)
       GROUP BY ${places} HAVING sum(requests) > 0 ORDER BY ${places} LIMIT ${limit}`,
      [account, from, to, key ?? null, deployment ?? null, alias ?? null],
    );
  }

  /** When each of these keys was last used; those that never were are left out. */
  async lastUsed(tx: Tx, keys: readonly number[]): Promise<Map<number, Date>> {
    const rows: { key: number; at: Date }[] = await tx.query(`SELECT key_id AS key, at FROM usage.last_used WHERE key_id = ANY($1)`, [
      keys,
    ]);
    return new Map(rows.map(({ key, at }) => [key, at]));
  }
}
