import { Injectable } from '@nestjs/common';
import type { CompareDeployments, QueryUsage, UsageGroup, UsageLatency, UsageStep } from '@slipway/contracts';
import type { Tx } from '@slipway/database';
import type { z } from 'zod';

type Question = z.output<typeof QueryUsage.request>;

/** The step and groups of a row. */
export interface GroupRow extends Partial<Record<UsageGroup, string | number>> {
  readonly from: Date;
}

/** One row of sums as the database returns it. */
export interface SumRow extends GroupRow {
  readonly requests: string;
  readonly errors: string;
  readonly prompt: string;
  readonly cached: string;
  readonly completion: string;
}

/** The buckets of the 50th, 95th and 99th percentile. */
export interface LatencyRow extends GroupRow {
  readonly figure: keyof UsageLatency;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** One request as the database returns it. */
export interface LedgerRequest {
  readonly key: number;
  readonly deployment: number;
  readonly rev: number;
  readonly alias: string;
  readonly api: string;
  readonly stream: boolean;
  readonly startedAt: Date;
  readonly status: string;
  readonly ttft: string | null;
  readonly ms: string;
  readonly prompt: string;
  readonly cached: string;
  readonly completion: string;
  readonly estimated: boolean;
}

/** Requests of a deployment that ended in one way. */
export interface OutcomeRow {
  readonly deployment: number;
  readonly status: string;
  readonly requests: string;
  readonly cut: string;
}

/** Requests of a deployment in one bucket of a figure. */
export interface BucketRow {
  readonly deployment: number;
  readonly figure: 'ttft_ms' | 'answer_tokens';
  readonly bucket: number;
  readonly requests: string;
}

/** The keys, accounts and requests whose tokens are asked for. */
export interface BudgetQuestion {
  readonly keys: readonly number[];
  readonly accounts: readonly number[];
  readonly requests: readonly string[];
  readonly day: number;
}

/** For a request, `month` is its tokens. */
export interface BudgetRow {
  readonly kind: 'key' | 'account' | 'request';
  readonly name: string;
  readonly day: string;
  readonly month: string;
  readonly final: boolean;
}

const COLUMN: Record<UsageGroup, string> = { key: 'key_id', deployment: 'deployment_id', alias: 'alias', api: 'api', status: 'status' };
const STEP: Record<UsageStep, string> = {
  minute: 'minute',
  hour: `date_trunc('hour', minute, 'UTC')`,
  day: `date_trunc('day', minute, 'UTC')`,
  total: '$2::timestamptz',
};
/** The parameters of `IN_QUESTION`. */
const parametersOf = ({ account, from, to, key, deployment, alias, api, keys, status }: Question): unknown[] => [
  account,
  from,
  to,
  key ?? null,
  deployment ?? null,
  alias ?? null,
  api ?? null,
  keys ?? null,
  status ?? null,
];
const IN_QUESTION = `account_id = $1 AND minute >= date_trunc('minute', $2::timestamptz) AND minute < $3::timestamptz
  AND ($4::integer IS NULL OR key_id = $4) AND ($5::integer IS NULL OR deployment_id = $5) AND ($6::text IS NULL OR alias = $6)
  AND ($7::text IS NULL OR api = $7) AND ($8::integer[] IS NULL OR key_id = ANY($8))`;
/** Statuses that are no errors. */
const NO_ERROR = `('completed', 'cancelled', 'running')`;

/** The columns to group by. */
const groupColumns = ({ step, group_by: groups }: Question, column: Record<UsageGroup, string>): string[] => [
  `${STEP[step]} AS "from"`,
  ...new Set(groups.map((group) => `${column[group]} AS "${group}"`)),
];
const ordinalsOf = (columns: readonly string[]): string => columns.map((_, i) => i + 1).join(', ');

/** Reads the ledger's sums. */
@Injectable()
export class UsageQueriesRepository {
  /** Sums of an account, `limit` rows at most. */
  async sums(tx: Tx, question: Question, limit: number): Promise<SumRow[]> {
    const columns = groupColumns(question, COLUMN);
    const ordinals = ordinalsOf(columns);
    return tx.query(
      `SELECT ${columns.join(', ')}, sum(requests) AS requests,
         coalesce(sum(requests) FILTER (WHERE status NOT IN ${NO_ERROR}), 0) AS errors,
         sum(prompt) AS prompt, sum(cached) AS cached, sum(completion) AS completion
       FROM usage.minute WHERE ${IN_QUESTION} AND ($9::text IS NULL OR status = $9)
       GROUP BY ${ordinals} HAVING sum(requests) > 0 ORDER BY ${ordinals} LIMIT ${limit}`,
      parametersOf(question),
    );
  }

  /** Percentiles for each row of `sums` with completed requests, one row per figure. */
  async latencies(tx: Tx, question: Question): Promise<LatencyRow[]> {
    // Only completed requests are in buckets.
    const columns = [...groupColumns(question, { ...COLUMN, status: `'completed'` }), 'figure'];
    const names = ['"from"', ...question.group_by.map((group) => `"${group}"`), 'figure'].join(', ');
    return tx.query(
      `WITH buckets AS (
         SELECT ${columns.join(', ')}, bucket, sum(requests) AS n FROM usage.latency WHERE ${IN_QUESTION} AND figure <> 'answer_tokens' AND ($9::text IS NULL OR $9 = 'completed')
         GROUP BY ${ordinalsOf(columns)}, bucket HAVING sum(requests) > 0
       ), ranks AS (
         SELECT *, sum(n) OVER (PARTITION BY ${names} ORDER BY bucket) AS rank, sum(n) OVER (PARTITION BY ${names}) AS total FROM buckets
       )
       SELECT ${names}, min(bucket) FILTER (WHERE rank >= 0.5 * total) AS p50, min(bucket) FILTER (WHERE rank >= 0.95 * total) AS p95,
         min(bucket) FILTER (WHERE rank >= 0.99 * total) AS p99
       FROM ranks GROUP BY ${names}`,
      parametersOf(question),
    );
  }

  /** Requests of an alias by deployment and status, and those in each bucket of the figures that deployments are compared by. */
  async sides(tx: Tx, question: z.output<typeof CompareDeployments.request>): Promise<{ outcomes: OutcomeRow[]; buckets: BucketRow[] }> {
    const { account, alias, deployments, from } = question;
    const values = [account, from, deployments, alias];
    const asked = `account_id = $1 AND minute >= date_trunc('minute', $2::timestamptz) AND deployment_id = ANY($3) AND alias = $4`;
    const outcomes = await tx.query<OutcomeRow[]>(
      `SELECT deployment_id AS deployment, status, sum(requests) AS requests, sum(cut) AS cut
       FROM usage.minute WHERE ${asked} AND status <> 'running' GROUP BY 1, 2 HAVING sum(requests) > 0`,
      values,
    );
    const buckets = await tx.query<BucketRow[]>(
      `SELECT deployment_id AS deployment, figure, bucket, sum(requests) AS requests FROM usage.latency
       WHERE ${asked} AND figure IN ('ttft_ms', 'answer_tokens') GROUP BY 1, 2, 3 HAVING sum(requests) > 0 ORDER BY 1, 2, 3`,
      values,
    );
    return { outcomes, buckets };
  }

  /** One statement, so that all rows are of the same moment. @param day first millisecond of the UTC day */
  async budgets(tx: Tx, { keys, accounts, requests, day }: BudgetQuestion): Promise<BudgetRow[]> {
    const sums = `coalesce(sum(tokens) FILTER (WHERE day = t.today), 0) AS day, sum(tokens) AS month, false AS final`;
    return tx.query(
      `WITH t AS (SELECT (to_timestamp($4::bigint / 1000) AT TIME ZONE 'UTC')::date AS today)
       SELECT 'key' AS kind, key_id::text AS name, ${sums} FROM usage.day, t
       WHERE key_id = ANY($1) AND day >= date_trunc('month', t.today) AND day <= t.today GROUP BY key_id
       UNION ALL
       SELECT 'account', account_id::text, ${sums} FROM usage.day, t
       WHERE account_id = ANY($2) AND day >= date_trunc('month', t.today) AND day <= t.today GROUP BY account_id
       UNION ALL
       SELECT 'request', st, 0, prompt + completion, final FROM usage.request WHERE st = ANY($3) AND source IS NOT NULL`,
      [keys, accounts, requests, day],
    );
  }

  /** A request of this account. Its row counts once a gateway or a worker has reported it. */
  async request(tx: Tx, account: number, id: string): Promise<LedgerRequest | undefined> {
    const rows: LedgerRequest[] = await tx.query(
      `SELECT key_id AS key, deployment_id AS deployment, rev, alias, api, streamed AS stream, started_at AS "startedAt", status,
         ttft_ms AS ttft, ms, prompt, cached, completion, estimated
       FROM usage.request WHERE st = $1 AND account_id = $2 AND source IS NOT NULL`,
      [id, account],
    );
    return rows[0];
  }

  /** When each of these keys was last used; unused keys are left out. */
  async lastUsed(tx: Tx, keys: readonly number[]): Promise<Map<number, Date>> {
    const rows: { key: number; at: Date }[] = await tx.query(`SELECT key_id AS key, at FROM usage.last_used WHERE key_id = ANY($1)`, [
      keys,
    ]);
    return new Map(rows.map(({ key, at }) => [key, at]));
  }
}
