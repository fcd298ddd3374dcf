import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a job takes of its worker's memory, as planned, in bytes. Null before its examples are counted. */
export class JobMemory1770000500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE job ADD COLUMN memory_bytes bigint`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE job DROP COLUMN memory_bytes`);
  }
}
