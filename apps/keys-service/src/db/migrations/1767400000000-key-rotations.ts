import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The last rotation of keys; earlier ones are taken from the audit log. */
export class KeyRotations1767400000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE keys.key ADD rotated_at timestamptz`);
    await runner.query(`UPDATE keys.key k SET rotated_at = e.at
      FROM (SELECT object, max(at) AS at FROM audit.entry WHERE action IN ('key.rotate', 'mcp_key.rotate') GROUP BY object) e
      WHERE e.object = 'key:' || k.id`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE keys.key DROP rotated_at`);
  }
}
