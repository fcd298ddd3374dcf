import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether gateways store the responses of a deployment. The release before does not write it. */
export class StoredResponses1769700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE deployment ADD store_responses boolean NOT NULL DEFAULT false`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE deployment DROP store_responses`);
  }
}
