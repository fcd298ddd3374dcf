import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Largest number of prompt tokens, and of completion tokens, of one request, as in the contract. */
const TOKENS_MAX = 2_147_483_647;
/** Requests whose counts are not possible. */
const IMPOSSIBLE = `source IS NOT NULL AND greatest(prompt, cached, completion) > ${TOKENS_MAX}`;
const tokens = ['prompt', 'cached', 'completion'] as const;
/** A sum, reduced to what its requests can have used. */
const possible = (column: string, each: number): string => `greatest(0, least(${column}, requests::numeric * ${each}))`;
const isImpossible = (column: string, each: number): string => `${column} < 0 OR ${column} > requests::numeric * ${each}`;

const UP = [
  // Usage that could not be counted, the newest 1,000 rows.
  `CREATE TABLE usage.rejected (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    subject text NOT NULL,
    why text NOT NULL,
    reason text NOT NULL,
    record text NOT NULL,
    received_at timestamptz NOT NULL DEFAULT now()
  )`,
  // Engines could report any count. For requests that are still stored, impossible counts are subtracted from the sums.
  `UPDATE usage.minute m SET ${tokens.map((column) => `${column} = greatest(0, m.${column} - wrong.${column})`).join(', ')}
   FROM (
     SELECT account_id, date_trunc('minute', started_at, 'UTC') AS minute, key_id, deployment_id, alias, api, status,
       ${tokens.map((column) => `sum(${column}) AS ${column}`).join(', ')}
     FROM usage.request WHERE ${IMPOSSIBLE} GROUP BY account_id, 2, key_id, deployment_id, alias, api, status
   ) wrong
   WHERE (m.account_id, m.minute, m.key_id, m.deployment_id, m.alias, m.api, m.status)
     = (wrong.account_id, wrong.minute, wrong.key_id, wrong.deployment_id, wrong.alias, wrong.api, wrong.status)`,
  `UPDATE usage.day d SET tokens = greatest(0, d.tokens - wrong.tokens)
   FROM (
     SELECT account_id, key_id, (started_at AT TIME ZONE 'UTC')::date AS day, sum(prompt::numeric + completion) AS tokens
     FROM usage.request WHERE ${IMPOSSIBLE} GROUP BY account_id, key_id, 3
   ) wrong
   WHERE (d.account_id, d.key_id, d.day) = (wrong.account_id, wrong.key_id, wrong.day)`,
  `UPDATE usage.request SET prompt = 0, cached = 0, completion = 0, estimated = true WHERE ${IMPOSSIBLE}`,
  // Of older requests only the sums are left.
  `UPDATE usage.minute SET ${tokens.map((column) => `${column} = ${possible(column, TOKENS_MAX)}`).join(', ')}
   WHERE ${tokens.map((column) => isImpossible(column, TOKENS_MAX)).join(' OR ')}`,
  `UPDATE usage.day SET tokens = ${possible('tokens', 2 * TOKENS_MAX)} WHERE ${isImpossible('tokens', 2 * TOKENS_MAX)}`,
];

/** Removes impossible counts from the ledger, and adds a table of usage that cannot be counted. */
export class UsageBounds1768300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  /** Impossible counts are not restored. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE usage.rejected`);
  }
}
