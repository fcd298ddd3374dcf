import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What replicas of a drained agent wait for, as the placer found it. The release before neither reads nor writes it. */
export class DrainWaits1770300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE drained_agent ADD COLUMN waits jsonb`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE drained_agent DROP COLUMN waits`);
  }
}
