import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The suite by which a rollout's candidate is evaluated, who ordered that, and what it says. Replicas of the version before take steps
 * without asking for it, so callers name suites once no such replica is left.
 */
export class RolloutSuites1770000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE rollout ADD suite integer, ADD suite_actor jsonb, ADD suite_outcome jsonb`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE rollout DROP suite_outcome, DROP suite_actor, DROP suite`);
  }
}
