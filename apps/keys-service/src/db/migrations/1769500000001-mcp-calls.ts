import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = [
  `CREATE TABLE keys.mcp_call (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key_id integer NOT NULL REFERENCES keys.key (id),
    at timestamptz NOT NULL,
    tool text NOT NULL,
    access text NOT NULL,
    outcome text NOT NULL,
    ms integer NOT NULL,
    client text
  )`,
  `CREATE INDEX mcp_call_key ON keys.mcp_call (key_id, at DESC, id DESC)`,
];

/** The last calls of MCP keys. */
export class McpCalls1769500000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE keys.mcp_call`);
  }
}
