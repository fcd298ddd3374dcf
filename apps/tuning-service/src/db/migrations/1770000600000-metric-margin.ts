import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How far chosen answers are ahead of rejected ones, in trainings on preferences. */
export class MetricMargin1770000600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE job_metric ADD COLUMN margin double precision`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE job_metric DROP COLUMN margin`);
  }
}
