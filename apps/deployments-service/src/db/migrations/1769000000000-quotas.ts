import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = [
  // Null: the operator's default.
  `CREATE TABLE account_quota (
    account integer PRIMARY KEY,
    deployments integer CHECK (deployments >= 0),
    replicas integer CHECK (replicas >= 0),
    aliases integer CHECK (aliases >= 0)
  )`,
  // Tests of engines are counted by the minute.
  `CREATE INDEX audit_engine_tests ON audit.entry (account_id, at) WHERE action = 'engine.test'`,
];

/** What accounts may have, where that is not the default. */
export class Quotas1769000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX audit.audit_engine_tests`);
    await runner.query(`DROP TABLE account_quota`);
  }
}
