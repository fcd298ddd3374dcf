import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The agent of each name: its own, and those of its runners, which begin with it. The previous release does not write it. */
export class WorkerAgents1769000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE keys.worker_name ADD COLUMN agent text NOT NULL GENERATED ALWAYS AS (regexp_replace(wk, '(.)-[^-]+$', '\\1')) STORED`,
    );
    await runner.query(`CREATE INDEX worker_name_agent ON keys.worker_name (agent, expires_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE keys.worker_name DROP COLUMN agent`);
  }
}
