import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Deletion of accounts. The row stays, so that the name stays taken; the previous release sees it as suspended. */
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
