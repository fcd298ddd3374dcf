import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The split of a data set, which no version after its first changes. Null before its next version: jobs then divide by size. */
export class Splits1770000300000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE dataset ADD COLUMN split jsonb`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE dataset DROP COLUMN split`);
  }
}
