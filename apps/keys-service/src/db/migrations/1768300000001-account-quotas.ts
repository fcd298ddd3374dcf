import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How much of each an account may have, where an operator said so. */
export class AccountQuotas1768300000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE accounts.account ADD quotas jsonb NOT NULL DEFAULT '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE accounts.account DROP quotas`);
  }
}
