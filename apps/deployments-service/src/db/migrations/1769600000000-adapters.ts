import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = [
  `ALTER TABLE revision ADD adapter jsonb, ADD witness jsonb`,
  `CREATE INDEX revision_adapter ON revision ((adapter->>'id')) WHERE adapter IS NOT NULL`,
  // What tuning-service was or must be told; a row goes once it knows that no deployment names the adapter.
  `CREATE TABLE adapter_use (
    account integer NOT NULL,
    adapter_id integer NOT NULL,
    used_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (account, adapter_id)
  )`,
];

const DOWN = [`DROP TABLE adapter_use`, `ALTER TABLE revision DROP adapter, DROP witness`];

/**
 * Adapters of revisions. Replicas of the version before would assign such a revision without its adapter, so callers name adapters
 * once no such replica is left.
 */
export class Adapters1769600000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
