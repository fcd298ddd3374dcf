import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The agents that a deployment is assigned to (null: gateways take requests to any), and since when it fails again and again. */
export class NamedAgents1769100000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE deployment ADD agents text[], ADD failed_since timestamptz`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE deployment DROP agents, DROP failed_since`);
  }
}
