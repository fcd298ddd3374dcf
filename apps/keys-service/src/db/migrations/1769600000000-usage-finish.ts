import type { MigrationInterface, QueryRunner } from 'typeorm';

const FIGURES = `'ttft_ms', 'duration_ms', 'tokens_per_second'`;

const UP = [
  // Empty = no answer, or one of a gateway that does not say.
  `ALTER TABLE usage.request ADD finish text NOT NULL DEFAULT ''`,
  // Completed requests whose answer ended at a token limit.
  `ALTER TABLE usage.minute ADD cut bigint NOT NULL DEFAULT 0`,
  `ALTER TABLE usage.latency DROP CONSTRAINT latency_figure_check,
    ADD CONSTRAINT latency_figure_check CHECK (figure IN (${FIGURES}, 'answer_tokens'))`,
];

const DOWN = [
  `DELETE FROM usage.latency WHERE figure = 'answer_tokens'`,
  `ALTER TABLE usage.latency DROP CONSTRAINT latency_figure_check, ADD CONSTRAINT latency_figure_check CHECK (figure IN (${FIGURES}))`,
  `ALTER TABLE usage.minute DROP cut`,
  `ALTER TABLE usage.request DROP finish`,
];

/** Why answers ended, and how long they were, for comparisons of deployments. The release before does not write them. */
export class UsageFinish1769600000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
