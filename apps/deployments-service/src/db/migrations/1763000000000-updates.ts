import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = [
  `ALTER TABLE revision ADD COLUMN threads integer CHECK (threads > 0)`,
  // Null: none of its revisions was ready since it was made or resumed.
  `ALTER TABLE deployment ADD COLUMN serving_rev integer,
    ADD COLUMN leaving_rev integer,
    ADD COLUMN serving_since timestamptz`,
  `UPDATE deployment SET serving_rev = rev, serving_since = now() WHERE ready_replicas > 0`,
];

const DOWN = [
  `ALTER TABLE deployment DROP COLUMN serving_rev, DROP COLUMN leaving_rev, DROP COLUMN serving_since`,
  `ALTER TABLE revision DROP COLUMN threads`,
];

/** Which revision serves while a newer one is on its way. */
export class Updates1763000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
