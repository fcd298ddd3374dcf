import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When an account was deleted. Its row stays, so that nobody else gets its name; the release before finds it suspended. */
export class DeletedAccounts1768900000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE accounts.account ADD COLUMN deleted_at timestamptz`);
    await runner.query(
      `ALTER TABLE accounts.account ADD CONSTRAINT account_deleted_check CHECK (deleted_at IS NULL OR state = 'suspended')`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE accounts.account DROP COLUMN deleted_at`);
  }
}
