import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Playground keys, each of one session and in no list. */
export class PlaygroundKeys1767100000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE keys.key ADD session_id text`);
    await runner.query(`ALTER TABLE keys.key DROP CONSTRAINT key_kind_check`);
    await runner.query(`ALTER TABLE keys.key ADD CONSTRAINT key_kind_check CHECK (kind IN ('dep', 'mcp', 'playground'))`);
    await runner.query(`ALTER TABLE keys.key ADD CONSTRAINT key_session_check CHECK ((kind = 'playground') = (session_id IS NOT NULL))`);
    await runner.query(`CREATE INDEX key_playground ON keys.key (session_id) WHERE kind = 'playground'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM keys.key WHERE kind = 'playground'`);
    await runner.query(`DROP INDEX keys.key_playground`);
    await runner.query(`ALTER TABLE keys.key DROP CONSTRAINT key_session_check`);
    await runner.query(`ALTER TABLE keys.key DROP CONSTRAINT key_kind_check`);
    await runner.query(`ALTER TABLE keys.key ADD CONSTRAINT key_kind_check CHECK (kind IN ('dep', 'mcp'))`);
    await runner.query(`ALTER TABLE keys.key DROP session_id`);
  }
}
