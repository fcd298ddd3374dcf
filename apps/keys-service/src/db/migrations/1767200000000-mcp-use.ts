import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The last use of MCP keys and its client, apart from the keys, whose rows are published to gateways. */
export class McpUse1767200000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE keys.mcp_use (
        key_id integer PRIMARY KEY REFERENCES keys.key (id),
        used_at timestamptz NOT NULL,
        client text
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE keys.mcp_use`);
  }
}
