import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Since when claims must say the time of their stream, in one row: those that say none are read for a day more, while gateways
 * are upgraded. A process cannot know it by itself, as it may start again at any time.
 */
export class UsageClaims1769400000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE usage.claims_timed (since timestamptz NOT NULL)`);
    await runner.query(`INSERT INTO usage.claims_timed VALUES (now())`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE usage.claims_timed`);
  }
}
