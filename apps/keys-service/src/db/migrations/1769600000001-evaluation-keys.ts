import type { MigrationInterface, QueryRunner } from 'typeorm';

const KINDS = (...kinds: string[]): string => `CHECK (kind IN (${kinds.map((kind) => `'${kind}'`).join(', ')}))`;

/** Keys with which tuning-service evaluates deployments, in no list. */
export class EvaluationKeys1769600000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE keys.key DROP CONSTRAINT key_kind_check`);
    await runner.query(`ALTER TABLE keys.key ADD CONSTRAINT key_kind_check ${KINDS('dep', 'mcp', 'playground', 'evaluation')}`);
    await runner.query(`CREATE INDEX key_evaluation ON keys.key (account_id) WHERE kind = 'evaluation'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM keys.key WHERE kind = 'evaluation'`);
    await runner.query(`DROP INDEX keys.key_evaluation`);
    await runner.query(`ALTER TABLE keys.key DROP CONSTRAINT key_kind_check`);
    await runner.query(`ALTER TABLE keys.key ADD CONSTRAINT key_kind_check ${KINDS('dep', 'mcp', 'playground')}`);
  }
}
