import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Ranges of deployments that scale by their load; null = the number is fixed. The release before changes `replicas` alone. */
export class ReplicaRanges1770100000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE deployment ADD replicas_min integer, ADD replicas_max integer, ADD target_percent integer,
        ADD CONSTRAINT deployment_replica_range CHECK (
          (replicas_min IS NULL AND replicas_max IS NULL AND target_percent IS NULL)
          OR (replicas_min BETWEEN 1 AND replicas_max AND target_percent BETWEEN 1 AND 100))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE deployment DROP replicas_min, DROP replicas_max, DROP target_percent`);
  }
}
