import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * When claims began to need the time of their stream, in one row: claims without one are accepted for a day more, while gateways
 * are upgraded. It is stored because a process may restart at any time.
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
