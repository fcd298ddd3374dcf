import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Limits of keys and accounts. */
export class Limits1766000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE keys.key ADD limits jsonb NOT NULL DEFAULT '{}'`);
    await runner.query(`ALTER TABLE accounts.account ADD limits jsonb NOT NULL DEFAULT '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE accounts.account DROP limits`);
    await runner.query(`ALTER TABLE keys.key DROP limits`);
  }
}
