import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = [
  // Ids of the counts of refused requests in the sums: a count may be delivered twice and is added once.
  `CREATE TABLE usage.refusal (id text PRIMARY KEY, told_at timestamptz NOT NULL)`,
  `CREATE INDEX refusal_told ON usage.refusal (told_at)`,
];

/** Counts of requests that gateways refuse for a limit. */
export class UsageRefusals1768700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE usage.refusal`);
  }
}
