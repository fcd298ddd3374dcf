import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Names of workers' processes with the public keys that they belong to. */
export class WorkerNames1768100000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE keys.worker_name (
      wk text PRIMARY KEY,
      public_key text NOT NULL,
      host text,
      expires_at timestamptz NOT NULL
    )`);
    await runner.query(`CREATE INDEX worker_name_expires_at ON keys.worker_name (expires_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE keys.worker_name`);
  }
}
