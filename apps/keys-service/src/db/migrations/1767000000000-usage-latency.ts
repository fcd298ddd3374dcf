import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Latencies of requests, as counts by minute and bucket, which can be added over any minutes and keys. */
export class UsageLatency1767000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE usage.latency (
      account_id integer NOT NULL,
      minute timestamptz NOT NULL,
      key_id integer NOT NULL,
      deployment_id integer NOT NULL,
      alias text NOT NULL,
      api text NOT NULL,
      figure text NOT NULL CHECK (figure IN ('ttft_ms', 'duration_ms', 'tokens_per_second')),
      bucket smallint NOT NULL,
      requests bigint NOT NULL,
      PRIMARY KEY (account_id, minute, key_id, deployment_id, alias, api, figure, bucket)
    )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE usage.latency`);
  }
}
