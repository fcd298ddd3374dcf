import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Agents that take no new replicas and give up theirs. The release before goes on to place on them. */
export class DrainedAgents1770200000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE drained_agent (wk text PRIMARY KEY, since timestamptz NOT NULL DEFAULT now())`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE drained_agent`);
  }
}
