import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What an imported adapter was trained for; forgotten when it was checked. */
export class ImportPrompts1770000400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE adapter_import ADD COLUMN prompts jsonb`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE adapter_import DROP COLUMN prompts`);
  }
}
