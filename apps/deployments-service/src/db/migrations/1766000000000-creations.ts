import type { MigrationInterface, QueryRunner } from 'typeorm';

/** By which key of its caller a deployment was made, so that a repeated call finds it. Forgotten with the deployment. */
export class Creations1766000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE creation (
        account integer NOT NULL,
        key text NOT NULL,
        deployment_id integer NOT NULL REFERENCES deployment (id) ON DELETE CASCADE,
        PRIMARY KEY (account, key)
      )`,
    );
    await runner.query(`CREATE INDEX creation_deployment ON creation (deployment_id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE creation`);
  }
}
