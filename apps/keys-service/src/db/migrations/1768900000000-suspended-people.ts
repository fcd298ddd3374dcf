import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Suspension of people. */
export class SuspendedPeople1768900000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE people.person ADD COLUMN suspended_at timestamptz`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE people.person DROP COLUMN suspended_at`);
  }
}
