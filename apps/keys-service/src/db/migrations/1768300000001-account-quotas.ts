import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Quotas of accounts that an operator set. */
export class AccountQuotas1768300000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE accounts.account ADD quotas jsonb NOT NULL DEFAULT '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE accounts.account DROP quotas`);
  }
}
