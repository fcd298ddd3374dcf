import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Agents that an operator expelled. The previous release would still renew them. */
export class ExpelledWorkers1769000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE keys.worker_name ADD COLUMN expelled_at timestamptz`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE keys.worker_name DROP COLUMN expelled_at`);
  }
}
