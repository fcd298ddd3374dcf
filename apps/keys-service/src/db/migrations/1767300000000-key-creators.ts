import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The creators of keys; those of older keys are taken from the audit log. */
export class KeyCreators1767300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE keys.key ADD created_by jsonb`);
    await runner.query(`UPDATE keys.key k SET created_by = jsonb_build_object('actor', e.actor, 'name', e.actor_name)
      FROM audit.entry e WHERE e.action IN ('key.create', 'mcp_key.create') AND e.object = 'key:' || k.id AND e.actor <> 'unknown'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE keys.key DROP created_by`);
  }
}
