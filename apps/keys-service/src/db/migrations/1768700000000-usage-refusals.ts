import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = [
  // Counts of refused requests that are in the sums, by name: each may come twice and counts once.
  `CREATE TABLE usage.refusal (id text PRIMARY KEY, told_at timestamptz NOT NULL)`,
  `CREATE INDEX refusal_told ON usage.refusal (told_at)`,
];

/** Requests that gateways refuse for a limit are counted. */
export class UsageRefusals1768700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE usage.refusal`);
  }
}
